//! ctrl-C: what is half-written is removed before the process ends.

use std::thread;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use crate::staging;

/// From now on SIGINT and SIGTERM remove the staging folders, then end the process as they would
/// have ended it anyway.
pub fn install() -> anyhow::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    thread::spawn(move || {
        for signal in signals.forever() {
            let _no_new_ones = staging::remove_all();
            let _ = emulate_default_handler(signal);
        }
    });
    Ok(())
}
