//! The arbiter's tree of T − 1 nodes. Each node compares two candidates.

use rtl::{Builder, ElaborationError, Expr, Module, clog2, concat, zeros};

use crate::shape::Shape;
use crate::signals::delay_by;

/// A path, as the nodes of the tree compare it.
pub struct Candidate {
    pub valid: Expr,
    pub parked: Expr,
    /// Another path has the time slice; no bits where there are no time slices.
    pub deferred: Expr,
    pub depth: Expr,
    pub pc: Expr,
}

/// The best path among the threads below a node of the tree, and its threads.
pub struct Node {
    pub candidate: Candidate,
    /// The threads of the path, one bit per thread below the node.
    pub mask: Expr,
}

impl Node {
    /// Adds the registers after this level of the tree, one for each cut there.
    fn cut(self, m: &Builder, cuts: &[usize], level: usize, name: &str) -> Self {
        let count = cuts.iter().filter(|cut| **cut == level).count();
        let later = |field: &str, value: &Expr| delay_by(m, &format!("{name}_{field}"), value, count);
        let Candidate { valid, parked, deferred, depth, pc } = &self.candidate;
        Self {
            candidate: Candidate {
                valid: later("valid", valid),
                parked: later("parked", parked),
                deferred: later("deferred", deferred),
                depth: later("depth", depth),
                pc: later("pc", pc),
            },
            mask: later("mask", &self.mask),
        }
    }
}

/// The best of N nodes: log2 N levels of [`compare`], with registers at the `cuts`.
pub fn tree(m: &Builder, compare: &Module, cuts: &[usize], mut nodes: Vec<Node>, name: &str) -> Node {
    let level = clog2(nodes.len());
    if nodes.len() == 1 {
        return nodes.remove(0).cut(m, cuts, level, name);
    }
    let high = nodes.split_off(nodes.len() / 2);
    let low = tree(m, compare, cuts, nodes, &format!("{name}_0"));
    let high = tree(m, compare, cuts, high, &format!("{name}_1"));
    let node = m.instance(name, compare);
    for (side, child) in [("low", &low.candidate), ("high", &high.candidate)] {
        node.input(&format!("{side}_valid"), &child.valid);
        node.input(&format!("{side}_parked"), &child.parked);
        node.input(&format!("{side}_deferred"), &child.deferred);
        node.input(&format!("{side}_depth"), &child.depth);
        node.input(&format!("{side}_pc"), &child.pc);
    }
    let (keep_low, keep_high) = (node.output("keep_low"), node.output("keep_high"));
    let mask = concat([&high.mask.when(&keep_high), &low.mask.when(&keep_low)]);
    Node {
        candidate: Candidate {
            valid: node.output("valid"),
            parked: node.output("parked"),
            deferred: node.output("deferred"),
            depth: node.output("depth"),
            pc: node.output("pc"),
        },
        mask: m.wire(&format!("{name}_kept"), &mask),
    }
    .cut(m, cuts, level, name)
}

/// One node: finds which of two candidates comes first, and whether they are the same path.
pub fn compare(shape: &Shape) -> Result<Module, ElaborationError> {
    let m = Builder::new(
        "arbiter_compare",
        "One node of the arbiter's tree: the better of two candidates; keeps both if they are one path.",
    );
    m.timing("combinational. The tree has its registers, if any, between nodes.");
    let side = |side: &str| {
        m.port_group(&format!("the {side} half's candidate"));
        Candidate {
            valid: m.input(&format!("{side}_valid"), 1),
            parked: m.input(&format!("{side}_parked"), 1),
            deferred: m.input(&format!("{side}_deferred"), usize::from(shape.takes_turns)),
            depth: m.input(&format!("{side}_depth"), shape.depth_bits),
            pc: m.input(&format!("{side}_pc"), shape.pc_bits),
        }
    };
    let (low, high) = (side("low"), side("high"));
    // The lesser key comes first, but a valid path and the greater depth must win. So each key contains the other
    // side's valid bit and depth. This needs no inverters in front of the carry chain.
    let key = |own: &Candidate, other: &Candidate| {
        let depth = m.fault("ignores_the_call_depth", &other.depth, &zeros(shape.depth_bits));
        concat([&other.valid, &own.parked, &own.deferred, &depth, &own.pc])
    };
    let low_key = m.wire("low_key", &key(&low, &high));
    let high_key = m.wire("high_key", &key(&high, &low));
    let high_first = m.wire("high_first", &high_key.lt(&low_key));
    let same = m.wire("same", &high_key.eq(&low_key));
    m.port_group("the better one, and the sides whose threads it has");
    m.output("keep_low", &!&high_first);
    m.output("keep_high", &(&high_first | m.fault("does_not_merge_equal_paths", &same, &zeros(1))));
    m.output("valid", &(low.valid | high.valid));
    m.output("parked", &high_first.mux(&high.parked, &low.parked));
    m.output("deferred", &high_first.mux(&high.deferred, &low.deferred));
    m.output("depth", &high_first.mux(&high.depth, &low.depth));
    m.output("pc", &high_first.mux(&high.pc, &low.pc));
    m.finish()
}
