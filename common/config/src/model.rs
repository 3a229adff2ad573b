//! Rules between the keys of `[model]`: the second-level cache, and paths that divide on memory divergence.

use crate::check::Broken;
use crate::keys::{Config, MemoryKind, Model, Scoreboard};
use crate::table::{KEYS, Key};
use crate::unit::Unit;

pub(crate) fn check(config: &Config) -> Result<(), Broken> {
    check_second_level(config)?;
    check_memory_divergence(config)
}

/// Checks that the second-level cache holds a set, that a line of a core is in one of its lines, and that there is one if
/// its other keys are set.
fn check_second_level(config: &Config) -> Result<(), Broken> {
    let Model { l2_bytes: bytes, l2_ways: ways, l2_line_bytes: line, .. } = config.model;
    let least = 4 * config.threads;
    if bytes == 0 {
        const OTHERS: &[&str] =
            &["model.l2_ways", "model.l2_line_bytes", "model.memory_latency", "model.memory_bandwidth"];
        let is_set = |key: &&Key| OTHERS.contains(&key.name) && key.value(config) != key.default();
        let set = KEYS.iter().find(is_set).map(|key| Broken {
            keys: OTHERS,
            reason: format!("`{}` has no effect without `model.l2_bytes`", key.name),
            hint: "leave it out, or set model.l2_bytes=1048576".into(),
        });
        return set.map_or(Ok(()), Err);
    }
    if config.memory.kind == MemoryKind::Bram {
        return Err(Broken {
            keys: &["model.l2_bytes", "memory.kind"],
            reason: format!("`model.l2_bytes` = {bytes}: with `memory.kind` = \"bram\" memory is as fast as a cache"),
            hint: "set model.l2_bytes=0, or memory.kind=\"axi4\"".into(),
        });
    }
    if line < least {
        return Err(Broken {
            keys: &["threads", "model.l2_line_bytes"],
            reason: format!(
                "`model.l2_line_bytes` = {line} must be at least a word for each thread of a warp, 4 · `threads` = {least}"
            ),
            hint: format!("the nearest is {least}"),
        });
    }
    if bytes < ways * line {
        return Err(Broken {
            keys: &["model.l2_bytes", "model.l2_ways", "model.l2_line_bytes"],
            reason: format!(
                "`model.l2_bytes` = {bytes} must be 0, or at least a set, `model.l2_ways` · `model.l2_line_bytes` = {ways} · \
                 {line} = {}",
                ways * line
            ),
            hint: format!("the nearest is {}", ways * line),
        });
    }
    Ok(())
}

/// Checks that loads can hit, that those that hit need not wait for the others, and that one option alone fills a free
/// slot.
fn check_memory_divergence(config: &Config) -> Result<(), Broken> {
    let Model { memory_divergence, path_forwarding, scoreboard, .. } = config.model;
    let broken = |keys, reason: &str, hint: &str| {
        let reason = format!("`model.memory_divergence` {reason}");
        Err(Broken { keys, reason, hint: format!("{hint}, or model.memory_divergence=false") })
    };
    if !memory_divergence {
        return Ok(());
    }
    if !config.dcache.exists() {
        let keys = &["model.memory_divergence", "dcache.bytes"];
        return broken(keys, "requires a data cache, in which some lanes of a load hit", "set dcache.bytes=4096");
    }
    if path_forwarding {
        let keys = &["model.memory_divergence", "model.path_forwarding"];
        return broken(
            keys,
            "excludes `model.path_forwarding`: both fill a free slot",
            "set model.path_forwarding=false",
        );
    }
    let reads = Unit::find(&config.divergence.unit).is_ok_and(|unit| unit.reads("model.scoreboard"));
    if reads && scoreboard == Scoreboard::Shadow {
        return broken(
            &["model.memory_divergence", "model.scoreboard", "divergence.unit"],
            "requires results by thread: with `model.scoreboard` = \"shadow\" threads that hit wait for those that miss",
            "set model.scoreboard=\"optimistic\"",
        );
    }
    Ok(())
}
