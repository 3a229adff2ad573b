//! S6, execute: the arithmetic of every lane.
//!
//! Enters: operands and control. Leaves: for each lane a result, a sum (address or jump target), a branch condition
//! and the store data; the leader and its sum; the value that all lanes share. In parallel, the path for the
//! validation in S7 is read, and the leader is elected (`s6_leader`).

use rtl::{Builder, Bundle, ElaborationError, Module, concat, zeros};
use weft_config::extension::M;

use super::decoder::Fields;
use super::resource::{Reservations, TAG};
use super::s6_leader::Election;
use crate::functional::lane_operands::{Operands, Widths};
use crate::functional::{lane_alu, multiplier};
use crate::memory::map::{at_ram, lanes_in_stacks, mapped};
use crate::shape::{SCRATCHPAD_BIT, Shape};
use crate::signals::{Control, LaneControl, Meta};

pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let alu = lane_alu::elaborate(shape)?;
    let m = Builder::new("s6_execute", "S6, execute: one lane_alu per thread.");
    let shifts = if shape.shifts_by_products() { "; the words of shifts join the results in S7" } else { "" };
    let products = if shape.has(&M) { format!(", products at the end of S7{shifts}") } else { String::new() };
    m.timing(&format!(
        "outputs for S7 are registered at the end of S6{products}; it never stalls. The election arrives in S6, from a table \
         that is read in S5."
    ));
    m.port_group("instruction, control and operands from S5");
    let meta = Meta::inputs(&m, shape, "s6");
    let lane_control = LaneControl::unpack(&m, shape, &m.input("lane_control_s6", LaneControl::bits(shape)));
    let control = Control::inputs(&m, shape, "s6");
    let reserved = Reservations::inputs(&m, shape, "reserved_s6");
    let operands = Operands::inputs(&m, &Widths::of(shape, shape.threads), "s6");
    let factor = m.input("factor_s6", if shape.shifts_by_products() { shape.line_bits() } else { 0 });
    let store = m.input("store_s6", shape.line_bits());
    m.port_group("the leader");
    let election = Election::inputs(&m, shape, "s6");

    let Fields { funct3, .. } = Fields::declare(&m, &meta.instruction);
    let alus = m.instance_each(shape.lanes(), "alu", &alu);
    operands.fields().into_iter().for_each(|(field, value)| _ = alus.input_parts(field, value));
    alus.input("funct3", &funct3).input("subtract", &lane_control.subtract);
    alus.input_each("less_unsigned", |lane| {
        m.fault(&format!("lane_{lane}_compares_signed"), &lane_control.less_unsigned, &zeros(1))
    });
    alus.input("set_less", &lane_control.set_less).input("no_result", &lane_control.no_result);
    alus.input("selects", &lane_control.selects);
    let [results, sums, taken] =
        [("result", "results"), ("sum", "sums"), ("taken", "taken")].map(|(port, net)| alus.output_as(port, net));

    let of_alu = m.delay("result", &results);
    let mut result = of_alu.clone();
    if shape.has(&M) {
        let high = m.delay("multiplies_high", &funct3.slice(0, 2).any());
        let multipliers = m.instance_each(shape.lanes(), "multiplier", &multiplier::elaborate(shape)?);
        let b = if shape.shifts_by_products() { &factor } else { &operands.b };
        multipliers.input_parts("a_s6", &operands.a).input_parts("b_s6", b).input("high_s7", &high);
        multipliers.input("a_signed_s6", &lane_control.a_signed).input("b_signed_s6", &lane_control.b_signed);
        if shape.shifts_by_products() {
            multipliers.input("left_s6", &lane_control.shifts_left).input("right_s6", &lane_control.shifts_right);
            result = &of_alu | multipliers.output("shifted_s7");
        }
        m.port_group("a dividend, which passes the adder");
        m.output("dividend_s7", &of_alu);
        m.port_group("products, in S8");
        m.output("product_s8", &multipliers.output("product_s8"));
    }
    let leader = election.choose(&m, &sums);
    let pc_value = concat([&control.pc_value, &zeros(2)]);
    // A selection of 0, not a mask, becomes the reset of the register.
    let uniform = m.wire("uniform", &lane_control.pc_is_value.mux(&pc_value, &zeros(32)));
    m.port_group("instruction, control and results for S7, which joins the uniform value to every lane's result");
    meta.next_stage(&m, shape).outputs(&m, "s7");
    control.delay(&m, shape, "q").outputs(&m, "s7");
    reserved.delay(&m, shape, "reserved_q").outputs(&m, "reserved_s7");
    m.output("uniform_s7", &m.delay("uniform_q", &uniform));
    m.output("result_s7", &result);
    m.output("address_s7", &m.delay("address", &sums));
    // S7 compares with the leader's address, which reaches the lanes late. What each finds of its own address is early.
    let (mapped, in_stacks) = (mapped(&m, shape, &control, &sums), lanes_in_stacks(&m, shape, &sums));
    let in_stacks = m.fault("no_lane_is_in_the_stacks", &in_stacks, &zeros(in_stacks.width()));
    m.output("mapped_s7", &m.delay("mapped_q", &mapped));
    m.output("in_stacks_s7", &m.delay("in_stacks_q", &in_stacks));
    m.output("leader_s7", &m.delay("leader", &leader.one));
    m.output("leader_number_s7", &m.delay("leader_number_q", &leader.number));
    let leader_address = m.delay("leader_address", &leader.sum);
    m.output("leader_address_s7", &leader_address);
    m.output("taken_s7", &m.delay("taken_q", &taken));
    m.output("store_s7", &m.delay("store", &store));
    m.port_group("whether S7 may write registers, so that a write of S9 waits");
    // A load of the console writes in S7. One outside the memory map does not commit.
    let [writes, loads] = [("writes", &control.writes), ("loads", &reserved.of(&TAG))]
        .map(|(name, kind)| m.delay_reset(name, &(&meta.valid & kind)));
    let is_elsewhere = match shape.has_scratchpad() {
        true => at_ram(shape, &leader_address) | leader_address.bit(SCRATCHPAD_BIT),
        false => at_ram(shape, &leader_address),
    };
    let from_console = m.fault("loads_of_memory_hold_the_write_port", &(&loads & !is_elsewhere), &loads);
    m.output("may_write_s7", &m.fault("results_meet_at_the_write_port", &(writes | from_console), &zeros(1)));
    m.finish()
}
