//! Copies of the core with one mechanism of start and stop broken: a scenario finds each.

use weft_config::Config;

use super::host::{Host, bus, cached, cached_open, counted_open, open, with_paths, with_scratchpad, with_table};
use super::scenarios::{self, Scenario};
use super::{paths, scratchpad, stalls};

type Core = fn() -> Config;

/// The fault point, a core with which it is found, and the scenario that finds it.
#[rustfmt::skip]
const COPIES: &[(&str, Core, Scenario)] = &[
    ("control.dmem_request_is_withdrawn", open, scenarios::a_thousand_runs_start_and_stop_at_random),
    ("control.imem_request_is_withdrawn", open, scenarios::a_thousand_runs_start_and_stop_at_random),
    ("control.stop_does_not_wait_for_a_fetch", bus, scenarios::a_thousand_runs_start_and_stop_at_random),
    ("control.stop_does_not_wait_for_data", open, scenarios::a_thousand_runs_start_and_stop_at_random),
    ("control.stop_does_not_wait_for_data", bus, scenarios::a_thousand_runs_start_and_stop_at_random),
    ("control.a_start_is_accepted_while_stopping", bus, scenarios::commands_at_the_wrong_time_are_refused),
    ("control.a_start_does_not_reset_the_pipeline", open, scenarios::a_program_reads_its_argument_from_any_entry),
    ("control.the_core_issues_while_it_stops", open, scenarios::commands_at_the_wrong_time_are_refused),
    ("control.a_register_of_the_run_changes_in_it", open, scenarios::commands_at_the_wrong_time_are_refused),
    ("control.a_misaligned_entry_runs", open, scenarios::an_entry_that_is_no_instruction_is_a_fault),
    ("control.memory_does_not_see_a_start", bus, scenarios::a_reservation_ends_with_its_run),
    ("lane_reservations.a_start_keeps_reservations", bus, scenarios::a_reservation_ends_with_its_run),
    ("axi4.a_start_keeps_the_error", bus, scenarios::an_error_of_the_bus_ends_the_run),
    ("axi4.an_error_holds_requests_at_the_port", bus, scenarios::an_error_of_the_bus_ends_the_run),
    ("axi4.amo_of_a_failed_read_is_in_flight", bus, scenarios::an_error_of_the_bus_ends_the_run),
    ("icache.is_idle_with_refills", cached, scenarios::a_thousand_runs_start_and_stop_at_random),
    ("table_refills.waits_for_entries_for_ever", with_table, scenarios::an_error_of_the_bus_ends_the_run),
    ("dcache.is_idle_with_buffered_stores", cached_open, scenarios::a_thousand_runs_start_and_stop_at_random),
    ("dcache.keeps_its_state_at_a_start", cached, scenarios::an_error_of_the_bus_ends_the_run),
    ("control.a_full_console_takes_bytes", open, scenarios::a_full_console_waits_and_a_stop_ends_the_wait),
    ("control.a_start_keeps_the_paths", with_paths, paths::a_stopped_core_shows_its_paths),
    ("control.the_scratchpad_is_open_in_a_run", with_scratchpad, scratchpad::words_go_in_and_come_out),
    ("control.the_scratchpad_takes_no_writes", with_scratchpad, scratchpad::words_go_in_and_come_out),
    ("control.a_start_keeps_the_stalls", counted_open, stalls::every_cycle_issues_or_has_a_cause),
    ("control.a_command_ignores_strobes", open, scenarios::registers_follow_the_table),
    ("control.byte_strobes_are_ignored", open, scenarios::registers_follow_the_table),
    ("control_axil.write_does_not_wait_for_its_data", open, scenarios::registers_follow_the_table),
    ("control_axil.bvalid_drops_before_bready", open, scenarios::registers_follow_the_table),
    ("control_axil.rvalid_drops_before_rready", open, scenarios::registers_follow_the_table),
    ("control_axil.rdata_changes_before_rready", open, scenarios::two_kernels_run_one_after_the_other),
];

fn each_is_found(copies: impl Iterator<Item = &'static (&'static str, Core, Scenario)>) {
    let mut missed = Vec::new();
    for (fault, config, scenario) in copies {
        match scenario(&mut Host::broken(&config(), fault)) {
            Err(found) => println!("{fault}: {found}"),
            Ok(()) => missed.push(fault),
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
