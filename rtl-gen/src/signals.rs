//! Signals such as ctrl-C: they remove unfinished output and end child processes before the process ends.

use std::fs;
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use tools::{cache, group};

use crate::staging;

/// Handles SIGINT, SIGTERM, and SIGHUP unless it is ignored (`nohup`). The handler ends the running process groups, removes
/// staging folders and unfinished cache entries, and then ends the process by the same signal.
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

/// Returns whether this process ignores a signal; false if that is unknown.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}
