//! ctrl-C: what is half-written is removed, and what was started is ended, before the process ends.

use std::fs;
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use tools::{cache, group};

use crate::staging;

/// From now on SIGINT, SIGTERM, and SIGHUP unless it is ignored (`nohup`), end the groups of processes that run and remove
/// the staging folders and what is half-built in the cache, then end the process as they would have ended it anyway.
pub fn install() -> anyhow::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    if !is_ignored(SIGHUP) {
        signals.add_signal(SIGHUP)?;
    }
    thread::spawn(move || {
        for signal in signals.forever() {
            let _no_other_starts = group::end_all();
            let _no_new_ones = staging::remove_all();
            let _none_finished = cache::remove_unfinished();
            let _ = emulate_default_handler(signal);
        }
    });
    Ok(())
}

/// Whether this process ignores a signal; not, where that cannot be known.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}
