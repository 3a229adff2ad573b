//! Invariants of the active path, the region and the stack, stated in a formal build for the watched warp.

use rtl::{Builder, Bundle, Expr, count_ones, increment, lit};

use super::row::{FLAGS, Pushed, Region};
use super::{Tables, size};
use crate::divergence::hot;
use crate::divergence::stack::below::Below;
use crate::formal::{CHARGES, Standing, Watched};
use crate::shape::Shape;
use crate::signals::{Path, Resolve};

pub struct Claims<'a> {
    pub tables: &'a Tables,
    pub rows: &'a Below,
    /// The region of the warp in S8.
    pub region: &'a Region,
    pub is_open: &'a Expr,
}

/// Paths in the list: the active lanes and the served ones, the threads that wait, and the rows of the stack.
pub fn listed_paths(rows: usize) -> usize {
    3 + rows
}

impl Claims<'_> {
    /// Asserts that a push finds a free row.
    pub fn push_finds_room(&self, m: &Builder, shape: &Shape, at: &Watched, resolve: &Resolve, pushes: &Expr) {
        let mine = &resolve.valid & resolve.warp.eq(&at.warp) & pushes;
        m.assert("a_push_finds_room", &!(mine & self.region.height.is(size(shape).rows as u64)));
    }

    /// Asserts the claims about the watched warp, and declares the outputs for a proof.
    pub fn state(&self, m: &Builder, shape: &Shape, at: &Watched, generation: &Expr) {
        let (path, [leaves_at_ret]) = hot::unpack(m, shape, &self.tables.path.inspect(&at.warp), generation, FLAGS);
        let word = m.wire("region_watched_now", &self.tables.regions.inspect("region_watched", &at.warp));
        let region = Region::unpack(m, shape, &word);
        let is_open = m.wire("is_open_watched", &region.is_open());
        let settled = !(&at.in_s8 & &at.started_by_s7) | &at.settling;
        m.assert("s8_has_the_region", &(&settled | (self.region.pack().eq(&word) & self.is_open.eq(&is_open))));
        let stored = self.rows.state(m, at, &region.height, &settled);
        let stored = stored.iter().enumerate().map(|(row, word)| m.wire(&format!("row_{row}_watched_now"), word));
        let stored = stored.map(|word| Pushed::unpack(m, shape, &word)).collect();
        let stated = Stated { m, at, path, leaves_at_ret, region, is_open, stored };
        stated.active();
        stated.waiting();
        stated.rows();
        stated.outputs();
    }
}

struct Stated<'a> {
    m: &'a Builder,
    at: &'a Watched,
    path: Path,
    leaves_at_ret: Expr,
    region: Region,
    is_open: Expr,
    /// The rows of the stack, the bottom one first.
    stored: Vec<Pushed>,
}

impl Stated<'_> {
    fn claim(&self, name: &str, condition: &Expr) {
        self.m.assert(name, &(!&self.at.started | condition));
    }

    /// Whether a path is at the reconvergence point, if that has a pc.
    fn is_at_rpc(&self, pc: &Expr, depth: &Expr) -> Expr {
        let rpc = self.region.rpc();
        &self.is_open & rpc.is_at() & pc.eq(&rpc.pc) & depth.eq(&rpc.depth)
    }

    fn is_used(&self, row: usize) -> Expr {
        lit(self.region.height.width(), row as u64).lt(&self.region.height)
    }

    fn active(&self) {
        let Self { path, leaves_at_ret, region, is_open, .. } = self;
        let rpc = region.rpc();
        let whole = path.mask.eq(&region.mask);
        self.claim("the_active_path_is_there_while_it_has_threads", &path.valid.eq(&region.mask.any()));
        let has_lanes = path.mask.any() & (&path.mask & !&region.mask).none();
        self.claim("the_active_path_has_active_lanes", &(!&path.valid | has_lanes));
        self.claim("a_parked_path_is_whole", &!(&path.valid & &path.parked & !&whole));
        self.claim("a_region_is_closed_when_all_have_ended", &(&path.valid | !is_open));
        let is_at = self.is_at_rpc(&path.pc, &path.depth);
        self.claim("only_a_parked_path_is_at_the_point", &!(&path.valid & !&path.parked & is_at));
        let returns = is_open & rpc.is_return() & path.depth.eq(&rpc.depth) & whole;
        self.claim("the_active_path_arrives_at_returns", &(!&path.valid | leaves_at_ret.eq(&returns)));
    }

    fn waiting(&self) {
        let Region { waiting, .. } = &self.region;
        let rpc = self.region.rpc();
        let known = rpc.is_at() | rpc.is_known_return();
        self.claim("threads_wait_at_a_known_pc", &(waiting.none() | known));
        self.claim("threads_wait_at_a_known_return", &!(&self.is_open & rpc.is_known_return() & waiting.none()));
    }

    fn rows(&self) {
        let Self { m, region, stored, .. } = self;
        let most = lit(region.height.width(), stored.len() as u64);
        self.claim("the_stack_never_overflows", &!most.lt(&region.height));
        let mut above = region.mask.clone();
        for (row, Pushed { pc, depth, mask }) in stored.iter().enumerate().rev() {
            let used = self.is_used(row);
            self.claim(&format!("row_{row}_has_threads"), &(!&used | mask.any()));
            self.claim(&format!("row_{row}_is_not_at_the_point"), &!(&used & self.is_at_rpc(pc, depth)));
            let enough = !count_ones(mask).lt(&count_ones(&above));
            self.claim(&format!("row_{row}_is_no_smaller_than_those_above"), &(!&used | enough));
            above = m.wire(&format!("threads_from_row_{row}"), &(above | mask.when(&used)));
        }
        m.cover("the_stack_is_full", &(&self.at.started & region.height.eq(&most)));
    }

    /// Outputs the active path, the list of all paths, and the pc of a known return.
    fn outputs(&self) {
        let Self { m, path, leaves_at_ret, region, .. } = self;
        let rpc = region.rpc();
        let none = lit(1, 0);
        m.port_group("its active path");
        m.output(&format!("gives_way_{}", CHARGES[0]), &none);
        m.output(&format!("leaves_at_ret_{}", CHARGES[0]), &(leaves_at_ret & &path.valid & !&path.parked));
        path.outputs(m, CHARGES[0]);
        m.port_group("all its paths: the active lanes, the served lanes, the threads that wait, and the stack");
        let served = m.wire("served_watched", &(&region.mask & !&path.mask));
        let listed = |pc: &Expr, depth: &Expr, mask: &Expr, valid: &Expr, parked: &Expr| Path {
            valid: valid & mask.any(),
            pc: pc.clone(),
            depth: depth.clone(),
            mask: mask.clone(),
            parked: parked.clone(),
        };
        let alive = |pc: &Expr, mask: &Expr| listed(pc, &path.depth, mask, &path.valid, &path.parked);
        let mut paths = vec![
            (alive(&path.pc, &path.mask), served.any(), none.clone()),
            (alive(&increment(&path.pc, 1), &served), none.clone(), none.clone()),
            (listed(&rpc.pc, &rpc.depth, &region.waiting, &lit(1, 1), &none), none.clone(), rpc.is_return()),
        ];
        for (row, Pushed { pc, depth, mask }) in self.stored.iter().enumerate() {
            paths.push((listed(pc, depth, mask, &self.is_used(row), &none), none.clone(), none.clone()));
        }
        for (number, (path, rest, at_return)) in paths.into_iter().enumerate() {
            path.outputs(m, &format!("list_{number}"));
            Standing { rest, at_return }.outputs(m, &format!("list_{number}"));
        }
        m.port_group("a known return");
        m.output("return_0_valid", &(&self.is_open & rpc.is_known_return()));
        m.output("return_0_pc", &rpc.pc);
    }
}
