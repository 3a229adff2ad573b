//! S7, coverage points: commits, squashes, and how the lanes of a path diverge.

use rtl::{Builder, Expr, MemoryStyle, join, zeros};

use super::context::join_context;
use super::s7_commit::{Commit, Inputs};
use crate::formal::{points, points_exist};
use crate::shape::Shape;

pub fn state(m: &Builder, shape: &Shape, commit: &Commit) {
    let kinds = kinds(&commit.inputs);
    for (kind, is) in &kinds {
        let found = [
            (format!("{kind}_commits"), &commit.commits & is),
            (format!("{kind}_is_squashed"), &commit.squashed() & is & !&commit.inputs.control.faults),
        ];
        points(m, shape, &found);
    }
    if points_exist(shape) {
        after_each_kind(m, shape, commit, &kinds);
    }
    points(m, shape, &of_lanes(commit));
}

fn kinds(inputs: &Inputs) -> [(&'static str, Expr); 10] {
    let control = &inputs.control;
    let long = inputs.reserved.rows().filter(|(row, _)| !row.is_of_memory);
    [
        ("load", loads(inputs)),
        ("atomic", control.is_atomic.clone()),
        ("store", stores(inputs)),
        ("branch", control.is_branch.clone()),
        ("jal", control.is_jal.clone()),
        ("jalr", control.is_jalr.clone()),
        ("barrier", control.is_barrier.clone()),
        ("exit", control.is_exit.clone()),
        ("fence_i", control.is_fence_i.clone()),
        ("long", long.fold(zeros(1), |any, (_, bit)| any | bit)),
    ]
}

fn loads(inputs: &Inputs) -> Expr {
    inputs.is_load() & !&inputs.control.is_atomic
}

fn stores(inputs: &Inputs) -> Expr {
    &inputs.is_store & !&inputs.control.is_atomic
}

/// Covers a squash after each kind of instruction that its slot committed last.
fn after_each_kind(m: &Builder, shape: &Shape, commit: &Commit, kinds: &[(&str, Expr)]) {
    m.comment("The kind of the last commit of each slot.");
    let (meta, commits, rotates) = (&commit.inputs.meta, &commit.commits, &commit.validation.rotates);
    let names = kinds.iter().map(|(kind, _)| *kind).chain(["rotation"]);
    let last: Vec<Expr> = kinds.iter().map(|(_, is)| commits & is).chain([rotates.clone()]).collect();
    let context = join_context(&meta.warp, &meta.slot);
    let table = m.memory("last_kinds", shape.contexts(), last.len(), MemoryStyle::Distributed);
    table.write(&(commits | rotates), &context, &join(&last));
    let last = table.read("last_kind", &context);
    let after =
        |(number, kind): (usize, &str)| (format!("a_squash_after_{kind}"), &commit.squashed() & last.bit(number));
    points(m, shape, &names.enumerate().map(after).collect::<Vec<_>>());
}

/// Points for the lanes of a path.
fn of_lanes(commit: &Commit) -> [(&'static str, Expr); 14] {
    let Commit { inputs, validation, service, commits, .. } = commit;
    let Inputs { meta, control, path, .. } = inputs;
    let (unserved, served) = (&service.unserved, &service.served);
    let for_many = || (served & !&inputs.leader).any();
    let of_some = || !inputs.active().all();
    [
        ("a_fault_is_squashed", &commit.squashed() & &control.faults),
        (
            "only_the_epoch_differs",
            &meta.valid & meta.pc.eq(&path.pc) & !&inputs.epoch_is_present & &validation.path_runs,
        ),
        ("the_path_gives_way", validation.rotates.clone()),
        ("a_console_store", &commit.requested.push & &service.at_console),
        ("a_branch_splits", commits & &control.is_branch & &inputs.splits()),
        ("a_branch_is_taken_by_all", commits & &control.is_branch & inputs.not_taken().none()),
        ("a_load_in_parts", commits & loads(inputs) & unserved.any()),
        ("an_atomic_in_parts", commits & &control.is_atomic & unserved.any()),
        ("a_store_in_parts", commits & stores(inputs) & unserved.any()),
        ("a_jump_in_parts", commits & &control.is_jalr & unserved.any()),
        ("a_load_for_many", commits & loads(inputs) & for_many()),
        ("a_store_for_many", commits & stores(inputs) & for_many()),
        ("a_barrier_of_some", commits & &control.is_barrier & of_some()),
        ("an_exit_of_some", commits & &control.is_exit & of_some()),
    ]
}
