//! Reservations of LR and SC: one word for each hart, compared with every write.
//!
//! LR sets the reservation of its hart. A write to the word, by any hart, ends all reservations of it. SC ends the
//! reservation of its hart, whether it succeeds or not. Nothing else ends a reservation, so LR and SC behave as in
//! the golden model.
//!
//! Storage (registers): W · T × (1 + row + word bits), and as many comparators. For 8 × 8 and 64 KiB these are 960
//! flip-flops.

use rtl::{Builder, ElaborationError, Module, concat, encode, join, ones, zeros};

use crate::shape::Shape;

/// Elaborates the reservations for a memory whose row numbers have `row_bits` bits.
pub fn elaborate(shape: &Shape, row_bits: usize) -> Result<Module, ElaborationError> {
    let (threads, lane_bits) = (shape.threads, shape.lane_bits());
    let m = Builder::new("reservations", "LR and SC: the word that each hart has reserved.");
    m.timing(
        "`holds` is combinational; a reservation, its end or a write counts from the next cycle. `row` and `written` \
         belong to the one access of the cycle.",
    );
    m.port_group("LR reserves the word, SC takes the reservation of its hart");
    let reserve = m.input("reserve", 1);
    let take = m.input("take", 1);
    let hart = m.input("hart", shape.hart_bits());
    let restart = m.input("restart", usize::from(shape.control));
    m.port_group("the row of the operation, its word (one-hot), and the words written in this cycle");
    let row = m.input("row", row_bits);
    let word = m.input("word", threads);
    let written = m.input("written", threads);

    let lane = elaborate_lane(shape, row_bits)?;
    let position = m.wire("word_position", &encode(&word));
    let is_own = m.wire_each(shape.lanes(), "is_own", |lane| hart.slice(0, lane_bits).is_part(lane));
    let lanes = m.instance_each(shape.lanes(), "reservations", &lane);
    lanes.input_each("reserve", |number| &reserve & is_own.bit(number));
    lanes.input_each("take", |number| &take & is_own.bit(number));
    lanes.input("warp", &hart.slice(lane_bits, shape.warp_bits()));
    lanes.input("row", &row).input("word", &position).input("written", &written).input("restart", &restart);
    let holds = lanes.output_as("holds", "lane_holds");
    m.port_group("whether the hart has reserved the word");
    m.output("holds", &(holds & is_own).any());
    m.finish()
}

fn elaborate_lane(shape: &Shape, row_bits: usize) -> Result<Module, ElaborationError> {
    let lane_bits = shape.lane_bits();
    let m = Builder::new("lane_reservations", "The reservations of one lane: a row and a word of it for each warp.");
    m.timing(
        "`holds` is combinational from registers and the operation of the cycle; a reservation, its end or a write \
         counts from the next cycle.",
    );
    let reserve = m.input("reserve", 1);
    let take = m.input("take", 1);
    let warp = m.input("warp", shape.warp_bits());
    let row = m.input("row", row_bits);
    let word = m.input("word", lane_bits);
    let written = m.input("written", shape.threads);
    let restart = m.input("restart", usize::from(shape.control));

    let held = m.register("held", shape.warps);
    let place = concat([&row, &word]);
    let (mut stays, mut holds) = (Vec::new(), Vec::new());
    for number in 0..shape.warps {
        let name = |what: &str| format!("{what}_{number}");
        let is_own = m.wire(&name("is_own"), &warp.is(number as u64));
        let reserved = m.hold(&name("reserved"), &place, &(&reserve & &is_own));
        let reserved_row = m.field(&reserved, "row", lane_bits, row_bits);
        let reserved_word = m.wire(&name("reserved_word"), &m.field(&reserved, "word", 0, lane_bits));
        let in_row = m.wire(&name("in_row"), &reserved_row.eq(&row));
        let is_written = m.fault("write_does_not_end_a_reservation", &written.index(&reserved_word), &zeros(1));
        let lost = m.wire(&name("lost"), &(&in_row & is_written));
        stays.push((&reserve & &is_own) | (held.bit(number) & !(&lost | (&take & &is_own))));
        holds.push(held.bit(number) & &is_own & &in_row & reserved_word.eq(&word));
    }
    let stays = join(&stays);
    let stays =
        if shape.control { stays.when(&m.fault("a_start_keeps_reservations", &!&restart, &ones(1))) } else { stays };
    held.next(&stays).reset(0);
    m.output("holds", &join(&holds).any());
    m.finish()
}
