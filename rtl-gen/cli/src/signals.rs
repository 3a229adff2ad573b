//! ctrl-C: what is half-written is removed, and what was started is ended, before the process ends.

use std::process::Child;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use crate::staging;

/// How long what was started may take to end by itself.
const GRACE: Duration = Duration::from_secs(20);
const POLL: Duration = Duration::from_millis(50);

/// The group of processes that runs at this moment. Whoever holds the lock cannot be interrupted.
static GROUP: Mutex<Option<Pid>> = Mutex::new(None);

fn running() -> MutexGuard<'static, Option<Pid>> {
    GROUP.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on SIGINT and SIGTERM remove the staging folders, interrupt the group of processes that
/// runs and wait for its end, then end the process as they would have ended it anyway.
pub fn install() -> anyhow::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    thread::spawn(move || {
        for signal in signals.forever() {
            let group = running();
            if let Some(group) = *group {
                interrupt(group);
            }
            let _no_new_ones = staging::remove_all();
            let _ = emulate_default_handler(signal);
        }
    });
    Ok(())
}

/// Ends a group: it is asked to, and killed if it does not, which takes a moment as well.
fn interrupt(group: Pid) {
    for signal in [Signal::INT, Signal::KILL] {
        let _ = kill_process_group(group, signal);
        let asked = Instant::now();
        while asked.elapsed() < GRACE {
            if test_kill_process_group(group) == Err(Errno::SRCH) {
                return;
            }
            thread::sleep(POLL);
        }
    }
}

/// A child that leads a group of processes, which ends with this process if that is interrupted.
pub struct Group;

impl Group {
    /// The group that a child was started as the leader of.
    pub fn of(child: &Child) -> Self {
        *running() = Some(Pid::from_child(child));
        Self
    }

    /// The child has ended by itself. Does not return if it was interrupted: the process is about to end.
    pub fn ended(self) {
        *running() = None;
    }
}
