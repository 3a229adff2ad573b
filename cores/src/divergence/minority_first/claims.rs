//! Invariants of the active path, the region and the stack, stated in a formal build for the watched warp.

use rtl::{Bundle, Expr, count_ones, lit};

use super::row::{FLAGS, Pushed, Region};
use super::size;
use crate::divergence::hot::{self, ActiveRows};
use crate::divergence::stack::below::Below;
use crate::divergence::watch::Watch;
use crate::formal::{CHARGES, Standing, output_active, output_list};
use crate::signals::{Path, Resolve};

pub struct Claims<'a> {
    pub tables: &'a ActiveRows,
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
    pub fn push_finds_room(&self, Watch { m, shape, at, .. }: &Watch, resolve: &Resolve, pushes: &Expr) {
        let mine = &resolve.valid & resolve.warp.eq(&at.warp) & pushes;
        m.assert("a_push_finds_room", &!(mine & self.region.height.is(size(shape).rows as u64)));
    }

    /// Asserts the claims about the watched warp, and declares the outputs for a proof.
    pub fn state(&self, watch: &Watch) {
        let Watch { m, shape, at, generation } = watch;
        let (path, [leaves_at_ret]) = hot::unpack(m, shape, &self.tables.path.inspect(&at.warp), generation, FLAGS);
        let word = m.wire("region_watched_now", &self.tables.rest.inspect("region_watched", &at.warp));
        let region = Region::unpack(m, shape, &word);
        let is_open = m.wire("is_open_watched", &region.is_open());
        let past = watch.s8_is_past();
        m.assert("s8_has_the_region", &(&past | (self.region.pack().eq(&word) & self.is_open.eq(&is_open))));
        let stored = self.rows.state(watch, &region.height, &past);
        let stored = stored.iter().enumerate().map(|(row, word)| m.wire(&format!("row_{row}_watched_now"), word));
        let stored = stored.map(|word| Pushed::unpack(m, shape, &word)).collect();
        let stated = Stated { watch, path, leaves_at_ret, region, is_open, stored };
        stated.active();
        stated.waiting();
        stated.rows();
        stated.outputs();
    }
}

struct Stated<'a> {
    watch: &'a Watch<'a>,
    path: Path,
    leaves_at_ret: Expr,
    region: Region,
    is_open: Expr,
    /// The rows of the stack, the bottom one first.
    stored: Vec<Pushed>,
}

impl Stated<'_> {
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
        self.watch.claim("the_active_path_is_there_while_it_has_threads", &path.valid.eq(&region.mask.any()));
        let has_lanes = path.mask.any() & (&path.mask & !&region.mask).none();
        self.watch.claim("the_active_path_has_active_lanes", &(!&path.valid | has_lanes));
        self.watch.claim("a_parked_path_is_whole", &!(&path.valid & &path.parked & !&whole));
        self.watch.claim("a_region_is_closed_when_all_have_ended", &(&path.valid | !is_open));
        let is_at = self.is_at_rpc(&path.pc, &path.depth);
        self.watch.claim("only_a_parked_path_is_at_the_point", &!(path.can_run() & is_at));
        let returns = is_open & rpc.is_return() & path.depth.eq(&rpc.depth) & whole;
        self.watch.claim("the_active_path_arrives_at_returns", &(!&path.valid | leaves_at_ret.eq(&returns)));
    }

    fn waiting(&self) {
        let Region { waiting, .. } = &self.region;
        let rpc = self.region.rpc();
        let known = rpc.is_at() | rpc.is_known_return();
        self.watch.claim("threads_wait_at_a_known_pc", &(waiting.none() | known));
        self.watch.claim("threads_wait_at_a_known_return", &!(&self.is_open & rpc.is_known_return() & waiting.none()));
    }

    fn rows(&self) {
        let Self { watch, region, stored, .. } = self;
        let most = lit(region.height.width(), stored.len() as u64);
        watch.claim("the_stack_never_overflows", &!most.lt(&region.height));
        let mut above = region.mask.clone();
        for (row, Pushed { pc, depth, mask }) in stored.iter().enumerate().rev() {
            let used = self.is_used(row);
            watch.claim(&format!("row_{row}_has_threads"), &(!&used | mask.any()));
            watch.claim(&format!("row_{row}_is_not_at_the_point"), &!(&used & self.is_at_rpc(pc, depth)));
            let enough = !count_ones(mask).lt(&count_ones(&above));
            watch.claim(&format!("row_{row}_is_no_smaller_than_those_above"), &(!&used | enough));
            above = watch.m.wire(&format!("threads_from_row_{row}"), &(above | mask.when(&used)));
        }
        watch.m.cover("the_stack_is_full", &(&watch.at.started & region.height.eq(&most)));
    }

    /// Outputs the active path, the list of all paths, and the pc of a known return.
    fn outputs(&self) {
        let Self { watch: Watch { m, .. }, path, leaves_at_ret, region, .. } = self;
        let rpc = region.rpc();
        let none = lit(1, 0);
        m.port_group("its active path");
        output_active(m, CHARGES[0], path, &none, &(leaves_at_ret & &path.valid & !&path.parked));
        m.port_group("all its paths: the active lanes, the served lanes, the threads that wait, and the stack");
        let listed = |pc: &Expr, depth: &Expr, mask: &Expr, valid: &Expr, at_return: Expr| {
            let (pc, depth, mask, parked) = (pc.clone(), depth.clone(), mask.clone(), none.clone());
            (Path { valid: valid & mask.any(), pc, depth, mask, parked }, Standing { rest: none.clone(), at_return })
        };
        let mut list = Standing::of_active(m, path, &region.mask).to_vec();
        list.push(listed(&rpc.pc, &rpc.depth, &region.waiting, &lit(1, 1), rpc.is_return()));
        let rows = self.stored.iter().enumerate();
        list.extend(
            rows.map(|(row, Pushed { pc, depth, mask })| listed(pc, depth, mask, &self.is_used(row), none.clone())),
        );
        output_list(m, list);
        m.port_group("a known return");
        m.output("return_0_valid", &(&self.is_open & rpc.is_known_return()));
        m.output("return_0_pc", &rpc.pc);
    }
}
