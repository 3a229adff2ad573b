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

/// Outputs the code of the cycle before.
pub fn report(m: &Builder, inputs: &Inputs, contexts: &Contexts, pick: &Pick) {
    m.comment("Why nothing issues: the first cause that holds for any context.");
    let any = |port: &str| contexts.column(port).any();
    let holds = [
        contexts.column("ready").any(),
        any("waits_for_place"),
        any("waits_for_result"),
        any("waits_to_issue"),
        m.fault("a_path_that_fetches_is_parked", &inputs.enabled.any(), &zeros(1)),
    ];
    let last = lit(BITS, CAUSES.len() as u64);
    let numbered = holds.iter().enumerate().rev();
    let code = numbered.fold(last, |later, (at, holds)| holds.mux(&lit(BITS, at as u64 + 1), &later));
    m.port_group("for the control block: why nothing issued in the cycle before; 0: an instruction did");
    m.output("stall", &m.delay_reset("stall_code", &pick.valid.mux(&lit(BITS, 0), &code)));
}
