//! Programs that end with this process: each leads a group of its own, with all that it starts, and whoever handles
//! signals ends the groups that run.
//!
//! A terminal interrupts its foreground group alone, and these are other groups: a program that starts them has to
//! call [`end_all`] when it is interrupted.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

/// How long what was killed may take to be gone.
const DEATH: Duration = Duration::from_secs(20);
const POLL: Duration = Duration::from_millis(50);

/// How a group is asked to end, before it is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Farewell {
    /// As from a terminal, with time to put away what it does.
    Interrupted,
    /// It has nothing to put away.
    Terminated,
}

impl Farewell {
    fn signal(self) -> Signal {
        match self {
            Self::Interrupted => Signal::INT,
            Self::Terminated => Signal::TERM,
        }
    }

    fn grace(self) -> Duration {
        match self {
            Self::Interrupted => Duration::from_secs(20),
            Self::Terminated => Duration::from_secs(1),
        }
    }
}

/// The groups that run at this moment. Whoever holds the lock starts none, and none is over.
static RUNNING: Mutex<Vec<(Pid, Farewell)>> = Mutex::new(Vec::new());

fn running() -> MutexGuard<'static, Vec<(Pid, Farewell)>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A program that leads a group, to be dropped when that has ended: which waits, where this process is interrupted, for
/// the end of it.
#[derive(Debug)]
pub struct Group {
    leader: Pid,
    child: Child,
}

impl Group {
    /// Starts a program.
    ///
    /// # Errors
    /// Those of [`Command::spawn`].
    pub fn spawn(command: &mut Command, farewell: Farewell) -> io::Result<Self> {
        let mut running = running();
        let child = command.process_group(0).spawn()?;
        let leader = Pid::from_child(&child);
        running.push((leader, farewell));
        Ok(Self { leader, child })
    }

    /// How the program ended, if it has.
    ///
    /// # Errors
    /// Those of [`Child::try_wait`].
    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        self.child.try_wait()
    }

    /// Kills the program and all that it has started.
    ///
    /// # Errors
    /// Those of [`Child::wait`].
    pub fn kill(mut self) -> io::Result<()> {
        let _gone_already = kill_process_group(self.leader, Signal::KILL);
        self.child.wait().map(drop)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        running().retain(|(leader, _)| *leader != self.leader);
    }
}

/// As long as this is there, no group starts, and who waited for one goes on waiting.
pub struct Held {
    _lock: MutexGuard<'static, Vec<(Pid, Farewell)>>,
}

/// Ends all groups that run: they are asked to, and killed if they do not. Somebody else has to wait for the programs
/// meanwhile, as [`Group::try_wait`] does.
pub fn end_all() -> Held {
    let lock = running();
    for (leader, farewell) in lock.iter() {
        let _gone_already = kill_process_group(*leader, farewell.signal());
    }
    for (leader, farewell) in lock.iter() {
        if !is_gone(*leader, farewell.grace()) {
            let _gone_now = kill_process_group(*leader, Signal::KILL);
            is_gone(*leader, DEATH);
        }
    }
    Held { _lock: lock }
}

/// Whether nothing is left of a group, before the time is over.
fn is_gone(group: Pid, time: Duration) -> bool {
    let begin = Instant::now();
    loop {
        if test_kill_process_group(group) == Err(Errno::SRCH) {
            return true;
        }
        if begin.elapsed() >= time {
            return false;
        }
        thread::sleep(POLL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_has_started_is_killed_with_it() {
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 1000 & wait"]);
        let group = Group::spawn(&mut command, Farewell::Terminated).expect("a shell");
        let leader = group.leader;
        assert!(running().iter().any(|(running, _)| *running == leader));
        group.kill().expect("it ends");
        assert!(is_gone(leader, DEATH), "nothing is left of it");
        assert!(!running().iter().any(|(running, _)| *running == leader));
    }
}
