//! The last sentence of a deadlock or starvation report: it says what to change, depending on the divergence unit.

use weft_config::{Config, UNITS};

pub fn on_deadlock(config: &Config) -> String {
    let unit = &config.divergence.unit;
    format!(
        "the unit `{unit}` holds the barrier's last arrivals behind a path that waits there; make the barrier uniform, \
         or set {}, with which every runnable path runs",
        units_with_turns(unit)
    )
}

/// Advice for a run in which a runnable path never runs while its warp goes on.
pub fn on_starvation(config: &Config) -> String {
    let unit = &config.divergence.unit;
    if !config.unit().is_ok_and(|unit| unit.takes_turns) {
        return format!(
            "the unit `{unit}` runs the top of its stack until all threads reconverge, and never yields: a path \
             that spins until another path of its warp writes waits for ever; set {} with a low divergence.fair_after, \
             wait at the barrier (CSR 0x801) instead, or raise run.starvation if the loop does end",
            units_with_turns(unit)
        );
    }
    let (yields, remedy) = match config.divergence.fair_after {
        0 => ("never yields, as divergence.fair_after = 0".to_string(), "set divergence.fair_after"),
        commits => (
            format!("yields after divergence.fair_after = {commits} commits of the warp"),
            "lower divergence.fair_after",
        ),
    };
    format!(
        "the unit `{unit}` prefers the deeper call, then the smaller pc, and {yields}: a path that spins until another path \
         of its warp writes waits all that time; {remedy}, wait at the barrier (CSR 0x801) instead, or raise \
         run.starvation if the loop does end"
    )
}

/// The other units whose paths get time slices, as settings.
fn units_with_turns(unit: &str) -> String {
    let others = UNITS.iter().filter(|other| other.name != unit && other.takes_turns);
    let settings: Vec<String> = others.map(|other| format!("divergence.unit = \"{}\"", other.name)).collect();
    settings.join(" or ")
}
