//! Rules between the keys of `dwf`: no key is set that the chosen warps or lanes do not read.

use super::Broken;
use crate::keys::{BarrelWarps, Config, FormedLanes};
use crate::table::Key;

/// The keys that only formed warps read.
const OF_FORMED_WARPS: &[&str] = &["dwf.issue", "dwf.lanes", "dwf.swizzle", "dwf.table_entries"];

pub(super) fn check(config: &Config) -> Result<(), Broken> {
    check_warps(config)?;
    check_swizzle(config)?;
    check_table(config)
}

fn check_warps(config: &Config) -> Result<(), Broken> {
    let (warps, formed) = (config.dwf.warps, BarrelWarps::Formed.name());
    if warps == BarrelWarps::Formed {
        return Ok(());
    }
    let keys = OF_FORMED_WARPS.iter().filter_map(|name| Key::find(name));
    let mut set = keys.filter(|key| key.value(config) != key.default()).map(|key| Broken {
        keys: OF_FORMED_WARPS,
        reason: format!("`{}` has no effect with `dwf.warps` = \"{}\", which forms no warps", key.name, warps.name()),
        hint: format!("leave it out, or set dwf.warps=\"{formed}\""),
    });
    set.next().map_or(Ok(()), Err)
}

fn check_swizzle(config: &Config) -> Result<(), Broken> {
    let reason = match (config.dwf.swizzle, config.dwf.lanes, config.threads) {
        (true, FormedLanes::Ideal, _) => "with `dwf.lanes` = \"ideal\": threads have no lanes of their own",
        (true, _, 1) => "with `threads` = 1: there is no other lane",
        _ => return Ok(()),
    };
    Err(Broken {
        keys: &["dwf.swizzle", "dwf.lanes", "threads"],
        reason: format!("`dwf.swizzle` has no effect {reason}"),
        hint: format!(
            "set dwf.swizzle=false, or dwf.lanes=\"{}\" with two or more threads",
            FormedLanes::LaneAware.name()
        ),
    })
}

fn check_table(config: &Config) -> Result<(), Broken> {
    let entries = config.unit_keys.get("dwf.table_entries");
    if entries.is_multiple_of(2) {
        return Ok(());
    }
    Err(Broken {
        keys: &["dwf.table_entries"],
        reason: format!("`dwf.table_entries` = {entries} must be even: the table has sets of two entries"),
        hint: format!("the nearest are {} and {}", entries - 1, entries + 1),
    })
}
