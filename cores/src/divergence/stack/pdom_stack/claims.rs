//! Invariants of the stack of one path, stated in a formal build for the watched warp.

use rtl::{Builder, Bundle, Expr, lit, zeros};

use super::row::{FLAGS, Suspended, Top};
use crate::divergence::hot::{self, ActiveRows};
use crate::divergence::stack::below::Below;
use crate::divergence::stack::invariants::{self, Level, Side};
use crate::divergence::stack::rpc::Rpc;
use crate::divergence::watch::Watch;
use crate::signals::Path;

pub struct Claims<'a> {
    pub tops: &'a ActiveRows,
    pub rows: &'a Below,
    /// The top row of the warp in S8.
    pub top: &'a Top,
}

impl Claims<'_> {
    /// Asserts the claims about the watched warp, and declares the outputs for a proof.
    pub fn state(&self, watch: &Watch) {
        let Watch { m, shape, at, generation } = watch;
        let (path, flags) = hot::unpack(m, shape, &self.tops.path.inspect(&at.warp), generation, FLAGS);
        let top_word = m.wire("top_watched_now", &self.tops.rest.inspect("top_watched", &at.warp));
        let top = Top::unpack(m, shape, &top_word);
        let highest = 2 * shape.threads - 2;
        let past = watch.s8_is_past();
        m.assert("s8_has_the_top_row", &(&past | self.top.pack().eq(&top_word)));
        let stored = self.rows.state(watch, &top.height, &past);
        watch.claim("the_stack_never_overflows", &!lit(top.height.width(), highest as u64).lt(&top.height));
        watch.claim("a_path_is_there_while_it_has_threads", &path.valid.eq(&top.mask.any()));
        let levels = (0..=highest)
            .map(|row| {
                let below = stored.get(row).map_or_else(|| zeros(Suspended::bits(shape)), Clone::clone);
                level(m, row, &top, &path, &flags, &Suspended::unpack(m, shape, &below))
            })
            .collect();
        invariants::Rows { levels, live: &top.live, empty: &flags[0] }.state(watch);
    }
}

/// The row with this number: the top row with this path, or a row below.
fn level(m: &Builder, row: usize, top: &Top, path: &Path, flags: &[Expr; 3], below: &Suspended) -> Level {
    let is_top = m.wire(&format!("row_{row}_is_top"), &top.height.is(row as u64));
    let either =
        |name: &str, top: &Expr, below: &Expr| m.wire(&format!("{name}_of_row_{row}"), &is_top.mux(top, below));
    let side = Side {
        path: Path {
            valid: either("valid", &path.valid, &lit(1, 1)),
            pc: either("pc", &path.pc, &below.pc),
            depth: either("depth", &path.depth, &below.depth),
            mask: either("active", &path.mask, &below.mask),
            parked: either("parked", &path.parked, &lit(1, 0)),
        },
        was_parked: either("parked_once", &path.parked, &lit(1, 0)),
        whole: either("whole", &top.mask, &below.mask),
        flags: [flags[1].clone(), flags[2].clone()],
    };
    Level {
        used: !top.height.lt(&lit(top.height.width(), row as u64)),
        sides: vec![side],
        from: zeros(0),
        rpc: Rpc {
            kind: either("rpc_kind", &top.rpc_kind, &below.rpc_kind),
            pc: either("rpc_pc", &top.rpc_pc, &below.rpc_pc),
            depth: either("rpc_depth", &top.rpc_depth, &below.rpc_depth),
        },
        is_top,
    }
}
