//! The bridge from a serial line to the control port and the memory of a core.
//!
//! The computer sends a letter, `r` or `w`; the number of words, less one; an address of four bytes, the lowest first; and
//! after `w` the words. The answer is, after `r`, the words, and in every case a byte that is 0 if all went well. Other
//! letters have no effect, so 1 030 of them end any command that was cut off.

use rtl::{Builder, ElaborationError, Expr, Module, clog2, concat, increment, lit, ones, zeros};

/// First address of the control port.
pub const CONTROL: u32 = 0x9000_0000;

/// What the bridge does next.
#[derive(Clone, Copy)]
enum Step {
    /// Receives letter, number of words and address.
    Header,
    /// Receives a word to write.
    Gather,
    /// Reads or writes a word.
    Access,
    /// Sends a word that was read.
    Send,
    /// Sends whether all went well.
    Status,
}

const STEP_BITS: usize = 3;

fn is(step: &Expr, which: Step) -> Expr {
    step.is(which as u64)
}

fn code(step: Step) -> Expr {
    lit(STEP_BITS, step as u64)
}

/// Elaborates the bridge to `ram_bytes` bytes of RAM and a control port of `control_bits` address bits.
///
/// A byte is received in the cycle of `received_valid`, and sent in one in which `send_valid` and `send_ready` hold. The
/// bridge receives nothing while it sends.
pub fn elaborate(ram_bytes: usize, ram_base: u32, control_bits: usize) -> Result<Module, ElaborationError> {
    let m = Builder::new("serial_bridge", "Reads and writes words for a computer at the serial line.");
    m.timing("A word takes 2 cycles in RAM and some 5 in the control port, besides the bytes on the line.");
    m.port_group("serial line");
    let received = m.input("received_valid", 1);
    let byte = m.input("received_byte", 8);
    m.output_port("send_valid", 1);
    let send_ready = m.input("send_ready", 1);
    m.output_port("send_byte", 8);
    m.port_group("words of RAM");
    m.output_port("word_valid", 1);
    let word_ready = m.input("word_ready", 1);
    m.output_port("word_write", 1);
    m.output_port("word_address", clog2(ram_bytes / 4));
    m.output_port("word_data", 32);
    let word_answer = m.input("word_answer", 32);
    m.port_group("control port, AXI4-Lite");
    m.output_port("s_axil_awvalid", 1);
    let awready = m.input("s_axil_awready", 1);
    m.output_port("s_axil_awaddr", control_bits);
    m.output("s_axil_awprot", &zeros(3));
    m.output_port("s_axil_wvalid", 1);
    let wready = m.input("s_axil_wready", 1);
    m.output_port("s_axil_wdata", 32);
    m.output("s_axil_wstrb", &ones(4));
    let bvalid = m.input("s_axil_bvalid", 1);
    m.output("s_axil_bready", &ones(1));
    let bresp = m.input("s_axil_bresp", 2);
    m.output_port("s_axil_arvalid", 1);
    let arready = m.input("s_axil_arready", 1);
    m.output_port("s_axil_araddr", control_bits);
    m.output("s_axil_arprot", &zeros(3));
    let rvalid = m.input("s_axil_rvalid", 1);
    m.output("s_axil_rready", &ones(1));
    let rdata = m.input("s_axil_rdata", 32);
    let rresp = m.input("s_axil_rresp", 2);

    let step = m.register("step", STEP_BITS);
    let writes = m.register("writes", 1);
    let at = m.register("byte_at", 3);
    let left = m.register("words_left", 8);
    let address = m.register("address", 32);
    let word = m.register("word", 32);
    let failed = m.register("failed", 1);

    m.comment("Bytes that are received and sent.");
    let in_header = m.wire("in_header", &is(&step, Step::Header));
    let in_word = m.wire("in_word", &is(&step, Step::Gather));
    let sends_word = m.wire("sends_word", &is(&step, Step::Send));
    let sends_status = m.wire("sends_status", &is(&step, Step::Status));
    let letter = m.wire("is_letter", &(byte.is(b'r'.into()) | byte.is(b'w'.into())));
    let first = m.wire("is_first", &(&in_header & at.none()));
    let header_byte = m.wire("takes_header", &(&received & &in_header & (!&first | &letter)));
    let word_byte = m.wire("takes_word", &(&received & &in_word));
    let sent = m.wire("sent", &((&sends_word | &sends_status) & &send_ready));
    let header_ends = m.wire("header_ends", &(&header_byte & at.is(5)));
    let fourth = m.wire("is_fourth", &at.is(3));
    let gathered = m.wire("word_is_gathered", &(&word_byte & &fourth));
    let word_sent = m.wire("word_is_sent", &(&sends_word & &send_ready & &fourth));
    m.output("send_valid", &(&sends_word | &sends_status));
    m.output("send_byte", &sends_word.mux(&word.slice(0, 8), &concat([&lit(7, 0), &failed])));

    m.comment("One access: in RAM, in the control port, or nowhere.");
    let accesses = m.wire("accesses", &is(&step, Step::Access));
    let is_at = |base: u32, bits: usize| address.from(bits).is(u64::from(base >> bits));
    let bits = clog2(ram_bytes);
    let below =
        if ram_bytes.is_power_of_two() { ones(1) } else { address.slice(0, bits).lt(&lit(bits, ram_bytes as u64)) };
    let in_ram = m.wire("in_ram", &(is_at(ram_base, bits) & below));
    let in_control = m.wire("in_control", &is_at(CONTROL, control_bits));
    let address_taken = m.register("address_taken", 1);
    let data_taken = m.register("data_taken", 1);
    let asks_ram = m.wire("asks_ram", &(&accesses & &in_ram & &!&*address_taken));
    let asks_control = m.wire("asks_control", &(&accesses & &in_control & &!&*address_taken));
    let aw_valid = m.wire("asks_to_write", &(&asks_control & &*writes));
    let ar_valid = m.wire("asks_to_read", &(&asks_control & &!&*writes));
    let w_valid = m.wire("offers_data", &(&accesses & &in_control & &*writes & &!&*data_taken));
    let takes_address =
        m.wire("takes_address", &(&asks_ram & &word_ready | &aw_valid & &awready | &ar_valid & &arready));
    let from_ram = m.wire("ram_answers", &(&in_ram & (&*address_taken | &(&*writes & &word_ready))));
    let from_control = m.wire("control_answers", &(&in_control & writes.mux(&bvalid, &rvalid)));
    let done = m.wire("access_ends", &(&accesses & (&from_ram | &from_control | !(&in_ram | &in_control))));
    address_taken.next(&((&*address_taken | &takes_address) & &!&done)).reset(0);
    data_taken.next(&((&*data_taken | &(&w_valid & &wready)) & &!&done)).reset(0);
    let response = m.wire("response", &writes.mux(&bresp, &rresp).when(&in_control));
    let fails = m.wire("access_fails", &(response.any() | !(&in_ram | &in_control)));
    m.output("word_valid", &asks_ram);
    m.output("word_write", &writes);
    m.output("word_address", &address.slice(2, clog2(ram_bytes / 4)));
    m.output("word_data", &word);
    m.output("s_axil_awvalid", &aw_valid);
    m.output("s_axil_awaddr", &address.slice(0, control_bits));
    m.output("s_axil_wvalid", &w_valid);
    m.output("s_axil_wdata", &word);
    m.output("s_axil_arvalid", &ar_valid);
    m.output("s_axil_araddr", &address.slice(0, control_bits));

    m.comment("What comes next.");
    let was_last = m.wire("was_last", &left.none());
    let after_access = writes.mux(&was_last.mux(&code(Step::Status), &code(Step::Gather)), &code(Step::Send));
    let after_word = was_last.mux(&code(Step::Status), &code(Step::Access));
    let next = header_ends.mux(
        &writes.mux(&code(Step::Gather), &code(Step::Access)),
        &gathered.mux(&code(Step::Access), &done.mux(&after_access, &word_sent.mux(&after_word, &code(Step::Header)))),
    );
    let status_sent = m.wire("status_is_sent", &(&sends_status & &send_ready));
    let word_ends = m.wire("word_ends", &(&done & &*writes | &word_sent));
    let begins = m.wire("begins", &(&header_ends | &gathered | &done | &word_sent | &status_sent));
    step.next(&next).enable(&begins).reset(0);
    writes.next(&byte.is(b'w'.into())).enable(&(&received & &first));
    at.next(&increment(&at, 1).when(&!&begins)).enable(&(&begins | &header_byte | &word_byte | &sent)).reset(0);
    let count = m.wire("takes_count", &(&header_byte & at.is(1)));
    left.next(&count.mux(&byte, &(&*left - lit(8, 1)))).enable(&(&count | &word_ends));
    let address_byte = m.wire("takes_address_byte", &(&header_byte & (at.bit(2) | at.bit(1))));
    let next_address = m.fault("the_address_stays", &increment(&address, 4), &address);
    address
        .next(&address_byte.mux(&concat([&byte, &address.from(8)]), &next_address))
        .enable(&(&address_byte | &word_ends));
    let read = m.wire("word_read", &in_ram.mux(&word_answer, &rdata));
    let shifted = concat([&byte, &word.from(8)]);
    word.next(&(&done & &!&*writes).mux(&read, &shifted)).enable(&(&word_byte | &done | &(&sends_word & &send_ready)));
    let fails = m.fault("an_error_is_not_told", &fails, &zeros(1));
    failed.next(&(&done & (&fails | &failed))).enable(&(&first | &done)).reset(0);
    m.finish()
}
