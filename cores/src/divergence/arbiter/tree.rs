//! The arbiter's tree of T − 1 nodes. Each node compares two candidates.

use rtl::{Builder, Bundle, ElaborationError, Expr, Module, clog2, concat, zeros};

use crate::shape::Shape;
use crate::signals::delay_by;

rtl::bundle! {
    /// A path, as the nodes of the tree compare it.
    pub struct Candidate(shape: &Shape) {
        valid: 1,
        parked: 1,
        /// Another path has the time slice; no bits where there are no time slices.
        deferred: usize::from(shape.takes_turns),
        depth: shape.depth_bits,
        pc: shape.pc_bits,
    }
}

/// The best path among the threads below a node of the tree, and its threads.
pub struct Node {
    pub candidate: Candidate,
    /// The threads of the path, one bit per thread below the node.
    pub mask: Expr,
}

/// The tree of comparators, with registers after the levels of `cuts`, one for each cut there.
pub struct Tree<'a> {
    pub m: &'a Builder,
    pub shape: &'a Shape,
    pub compare: &'a Module,
    pub cuts: &'a [usize],
}

impl Tree<'_> {
    /// The best of N nodes: log2 N levels of [`compare`].
    pub fn best(&self, mut nodes: Vec<Node>, name: &str) -> Node {
        let level = clog2(nodes.len());
        if nodes.len() == 1 {
            return self.cut(nodes.remove(0), level, name);
        }
        let high = nodes.split_off(nodes.len() / 2);
        let low = self.best(nodes, &format!("{name}_0"));
        let high = self.best(high, &format!("{name}_1"));
        let node = self.m.instance(name, self.compare);
        for (side, child) in [("low", &low.candidate), ("high", &high.candidate)] {
            for (field, value) in child.fields() {
                node.input(&format!("{side}_{field}"), value);
            }
        }
        let (keep_low, keep_high) = (node.output("keep_low"), node.output("keep_high"));
        let mask = concat([&high.mask.when(&keep_high), &low.mask.when(&keep_low)]);
        let candidate = Candidate::build(self.shape, &mut |field, _| node.output(field));
        self.cut(Node { candidate, mask: self.m.wire(&format!("{name}_kept"), &mask) }, level, name)
    }

    /// Adds the registers after this level of the tree.
    fn cut(&self, node: Node, level: usize, name: &str) -> Node {
        let count = self.cuts.iter().filter(|cut| **cut == level).count();
        let later = |field: &str, value: &Expr| delay_by(self.m, &format!("{name}_{field}"), value, count);
        let mut fields = node.candidate.fields().into_iter();
        let candidate = Candidate::build(self.shape, &mut |_, _| {
            let (field, value) = fields.next().expect("as many values as fields");
            later(field, value)
        });
        Node { candidate, mask: later("mask", &node.mask) }
    }
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
        Candidate::build(shape, &mut |field, width| m.input(&format!("{side}_{field}"), width))
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
    m.output("valid", &(&low.valid | &high.valid));
    for ((field, low), (_, high)) in low.fields().into_iter().zip(high.fields()).skip(1) {
        m.output(field, &high_first.mux(high, low));
    }
    m.finish()
}
