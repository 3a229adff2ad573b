//! Programs that end with this process. Each leads a process group of its own, which a signal handler can end.
//!
//! A terminal interrupts only its foreground group, and these are other groups. So a program that starts them must call
//! [`end_all`] when it is interrupted.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

const DEATH: Duration = Duration::from_secs(20);
const POLL: Duration = Duration::from_millis(50);

/// The signal that asks a group to end, before it is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Farewell {
    /// The interrupt of a terminal: the program has time to clean up.
    Interrupted,
    /// The termination signal: the program has nothing to clean up.
    Terminated,
}

impl Farewell {
    /// Returns the signal, and the time to end after it.
    fn signal_and_grace(self) -> (Signal, Duration) {
        match self {
            Self::Interrupted => (Signal::INT, Duration::from_secs(20)),
            Self::Terminated => (Signal::TERM, Duration::from_secs(1)),
        }
    }
}

/// The running groups. While the lock is held, no group starts or ends.
static RUNNING: Mutex<Vec<(Pid, Farewell)>> = Mutex::new(Vec::new());

fn running() -> MutexGuard<'static, Vec<(Pid, Farewell)>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A program that leads a group. Drop it after the group has ended: if this process is interrupted, the drop waits for
/// the end of the process.
#[derive(Debug)]
pub struct Group {
    leader: Pid,
    child: Child,
}

impl Group {
    /// # Errors
    /// Those of [`Command::spawn`].
    pub fn spawn(command: &mut Command, farewell: Farewell) -> io::Result<Self> {
        let mut running = running();
        let child = command.process_group(0).spawn()?;
        let leader = Pid::from_child(&child);
        running.push((leader, farewell));
        Ok(Self { leader, child })
    }

    /// Returns the exit status of the program if it has ended.
    ///
    /// # Errors
    /// Those of [`Child::try_wait`].
    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        self.child.try_wait()
    }

    /// Kills the program and all processes that it started.
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

/// Ends all running groups: sends each its signal, then kills it if it does not end. Meanwhile another thread must wait
/// for the programs, as [`Group::try_wait`] does. While the result is held, no group starts, and a thread that waits
/// for a group keeps waiting.
pub fn end_all() -> impl Sized {
    let lock = running();
    for (leader, farewell) in lock.iter() {
        let _gone_already = kill_process_group(*leader, farewell.signal_and_grace().0);
    }
    for (leader, farewell) in lock.iter() {
        if !is_gone(*leader, farewell.signal_and_grace().1) {
            let _gone_now = kill_process_group(*leader, Signal::KILL);
            is_gone(*leader, DEATH);
        }
    }
    lock
}

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
