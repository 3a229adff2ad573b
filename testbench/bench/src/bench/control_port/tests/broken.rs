//! Copies of the core with one mechanism of start and stop broken: a scenario finds each.

use weft_config::MemoryKind::{self, Axi4, Model};

use super::host::{Host, config};
use super::scenarios::{self, Scenario};

/// The fault point, a memory with which it is found, and the scenario that finds it.
#[rustfmt::skip]
const COPIES: &[(&str, MemoryKind, Scenario)] = &[
    ("control.dmem_request_is_withdrawn", Model, scenarios::a_thousand_runs_start_and_stop_at_random),
    ("control.imem_request_is_withdrawn", Model, scenarios::a_thousand_runs_start_and_stop_at_random),
    ("control.stop_does_not_wait_for_a_fetch", Axi4, scenarios::a_thousand_runs_start_and_stop_at_random),
    ("control.stop_does_not_wait_for_data", Model, scenarios::a_thousand_runs_start_and_stop_at_random),
    ("control.stop_does_not_wait_for_data", Axi4, scenarios::a_thousand_runs_start_and_stop_at_random),
    ("control.a_start_is_accepted_while_stopping", Axi4, scenarios::commands_at_the_wrong_time_are_refused),
    ("control.a_start_does_not_reset_the_pipeline", Model, scenarios::a_program_reads_its_argument_from_any_entry),
    ("control.the_core_issues_while_it_stops", Model, scenarios::commands_at_the_wrong_time_are_refused),
    ("control.a_register_of_the_run_changes_in_it", Model, scenarios::commands_at_the_wrong_time_are_refused),
    ("control.a_misaligned_entry_runs", Model, scenarios::an_entry_that_is_no_instruction_is_a_fault),
    ("control.memory_does_not_see_a_start", Axi4, scenarios::a_reservation_ends_with_its_run),
    ("lane_reservations.a_start_keeps_reservations", Axi4, scenarios::a_reservation_ends_with_its_run),
    ("axi4.a_start_keeps_the_error", Axi4, scenarios::an_error_of_the_bus_ends_the_run),
    ("axi4.an_error_holds_requests_at_the_port", Axi4, scenarios::an_error_of_the_bus_ends_the_run),
    ("axi4.amo_of_a_failed_read_is_in_flight", Axi4, scenarios::an_error_of_the_bus_ends_the_run),
    ("control.a_full_console_takes_bytes", Model, scenarios::a_full_console_waits_and_a_stop_ends_the_wait),
    ("control.a_command_ignores_strobes", Model, scenarios::registers_follow_the_table),
    ("control.byte_strobes_are_ignored", Model, scenarios::registers_follow_the_table),
    ("control_axil.write_does_not_wait_for_its_data", Model, scenarios::registers_follow_the_table),
    ("control_axil.bvalid_drops_before_bready", Model, scenarios::registers_follow_the_table),
    ("control_axil.rvalid_drops_before_rready", Model, scenarios::registers_follow_the_table),
    ("control_axil.rdata_changes_before_rready", Model, scenarios::two_kernels_run_one_after_the_other),
];

fn each_is_found(copies: impl Iterator<Item = &'static (&'static str, MemoryKind, Scenario)>) {
    let mut missed = Vec::new();
    for (fault, kind, scenario) in copies {
        match scenario(&mut Host::broken(&config(*kind), fault)) {
            Err(found) => println!("{fault}: {found}"),
            Ok(()) => missed.push((fault, kind)),
        }
    }
    assert!(missed.is_empty(), "not found: {missed:?}");
}

#[test]
fn copies_with_a_mechanism_broken_are_found() {
    each_is_found(COPIES.iter().step_by(3));
}

#[test]
#[ignore = "takes minutes: in scripts/nightly.sh"]
fn all_copies_with_a_mechanism_broken_are_found() {
    each_is_found(COPIES.iter());
}
