//! S3, stalls: why nothing issues in a cycle.
//!
//! Each such cycle has one cause, that of the context that is nearest to its issue. An issue that is squashed later is
//! an issue.

use rtl::{Builder, lit, zeros};

use super::s3_pick::Pick;
use super::s3_schedule::{Contexts, Inputs};

/// The causes, in the order in which they are looked for. The code of a cause is its position, from 1; 0 is an issue. The
/// registers of the control block (`control::registers`) say what they mean.
pub const CAUSES: [&str; 6] = ["write_port", "place", "result", "spacing", "fetch", "parked"];

/// Bits of a code.
pub const BITS: usize = 3;

/// Outputs the code of a cycle two cycles later. The first cycle only gathers what holds for any context, which is known late.
pub fn report(m: &Builder, inputs: &Inputs, contexts: &Contexts, pick: &Pick) {
    m.comment("Why nothing issues: the first cause that holds for any context.");
    let enabled = m.fault("a_path_that_fetches_is_parked", &inputs.enabled.any(), &zeros(1));
    let holds = [
        ("any_issues", pick.valid.clone()),
        ("any_is_ready", contexts.column("ready").any()),
        ("any_waits_for_place", contexts.column("waits_for_place").any()),
        ("any_waits_for_result", contexts.column("waits_for_result").any()),
        ("any_waits_to_issue", contexts.column("waits_to_issue").any()),
        ("any_runs", enabled),
    ];
    let none = lit(BITS, CAUSES.len() as u64);
    let code = holds
        .iter()
        .enumerate()
        .rev()
        .fold(none, |later, (code, (name, holds))| m.delay_reset(name, holds).mux(&lit(BITS, code as u64), &later));
    m.port_group("for the control block: why nothing issued two cycles before; 0: an instruction did");
    m.output("stall", &m.delay_reset("stall_code", &code));
}
