//! Block RAM behind AXI4, with a second port for single words.

use rtl::{
    Builder, ElaborationError, MemoryStyle, Module, PortInfo, clog2, decode, increment, join, lit, ones, select, zeros,
};

/// Elaborates `bytes` bytes of RAM, zero after configuration, for the master whose ports are `master` (`m_axi_*`).
///
/// It answers in order, one beat a cycle, bursts of type INCR and the full width of the bus, and ignores the upper bits
/// of addresses. A word is taken in a cycle in which `word_valid` and `word_ready` hold, and has precedence;
/// `word_answer` is what was read, in the next cycle.
pub fn elaborate(bytes: usize, master: &[PortInfo]) -> Result<Module, ElaborationError> {
    let width = |port: &str| {
        master
            .iter()
            .find(|found| found.name == port)
            .map_or_else(|| panic!("a master without `{port}`"), |port| port.width)
    };
    let line = width("m_axi_wdata") / 8;
    let (rows, words) = (bytes / line, line / 4);
    let (row_bits, offset) = (clog2(rows), clog2(line));
    let m = Builder::new("axi_ram", &format!("Block RAM of {bytes} bytes behind AXI4, with a port for single words."));
    m.timing(
        "One beat a cycle in each direction. A word is taken when word_valid and word_ready hold; what was read is in \
         word_answer in the next cycle.",
    );

    m.port_group("single words");
    let word_valid = m.input("word_valid", 1);
    m.output_port("word_ready", 1);
    let word_write = m.input("word_write", 1);
    let word_address = m.input("word_address", clog2(bytes / 4));
    let word_data = m.input("word_data", 32);
    m.output_port("word_answer", 32);

    m.port_group("AXI4 writes");
    let aw_valid = m.input("m_axi_awvalid", 1);
    m.output_port("m_axi_awready", 1);
    let aw_id = m.input("m_axi_awid", width("m_axi_awid"));
    let aw_address = m.input("m_axi_awaddr", 32);
    let w_valid = m.input("m_axi_wvalid", 1);
    m.output_port("m_axi_wready", 1);
    let w_data = m.input("m_axi_wdata", 8 * line);
    let w_bytes = m.input("m_axi_wstrb", line);
    let w_last = m.input("m_axi_wlast", 1);
    m.output_port("m_axi_bvalid", 1);
    let b_ready = m.input("m_axi_bready", 1);
    m.output_port("m_axi_bid", aw_id.width());
    m.output("m_axi_bresp", &zeros(2));
    m.port_group("AXI4 reads");
    let ar_valid = m.input("m_axi_arvalid", 1);
    m.output_port("m_axi_arready", 1);
    let ar_id = m.input("m_axi_arid", width("m_axi_arid"));
    let ar_address = m.input("m_axi_araddr", 32);
    let ar_beats = m.input("m_axi_arlen", 8);
    m.output_port("m_axi_rvalid", 1);
    let r_ready = m.input("m_axi_rready", 1);
    m.output_port("m_axi_rid", ar_id.width());
    m.output_port("m_axi_rdata", 8 * line);
    m.output("m_axi_rresp", &zeros(2));
    m.output_port("m_axi_rlast", 1);

    let word_row = word_address.from(clog2(words));
    let column = word_address.slice(0, clog2(words));
    let writes_word = m.wire("writes_word", &(&word_valid & &word_write));

    m.comment("A burst of writes, and its answer.");
    let writing = m.register("writing", 1);
    let answers = m.register("answers_write", 1);
    let write_row = m.register("write_row", row_bits);
    let write_id = m.register("write_id", aw_id.width());
    let aw_takes = m.wire("takes_write", &(&aw_valid & &!(&*writing | &*answers)));
    let w_ready = m.wire("takes_data", &(&*writing & &!&writes_word));
    let beat = m.wire("writes_beat", &(&w_ready & &w_valid));
    let ends = m.wire("ends_write", &(&beat & &w_last));
    writing.next(&(&aw_takes | &(&*writing & &!&ends))).reset(0);
    answers.next(&(&ends | &(&*answers & &!&b_ready))).reset(0);
    let first_row = aw_address.slice(offset, row_bits);
    write_row.next(&aw_takes.mux(&first_row, &increment(&write_row, 1))).enable(&(&aw_takes | &beat));
    write_id.next(&aw_id).enable(&aw_takes);
    m.output("m_axi_awready", &!(&*writing | &*answers));
    m.output("m_axi_wready", &w_ready);
    m.output("m_axi_bvalid", &answers);
    m.output("m_axi_bid", &write_id);

    m.comment("A burst of reads. A beat that was read waits in the output of the RAM.");
    let reading = m.register("reading", 1);
    let waits = m.register("beat_waits", 1);
    let last = m.register("beat_is_last", 1);
    let read_row = m.register("read_row", row_bits);
    let read_id = m.register("read_id", ar_id.width());
    let beat_id = m.register("beat_id", ar_id.width());
    let left = m.register("beats_left", 8);
    let free = m.wire("output_is_free", &(!&*waits | &r_ready));
    let reads_word = m.wire("reads_word", &(&word_valid & &!&word_write & &free));
    let reads = m.wire("reads_beat", &(&*reading & &free & &!&reads_word));
    let ends = m.wire("ends_read", &(&reads & &left.none()));
    let ar_takes = m.wire("takes_read", &(&ar_valid & &!&*reading));
    reading.next(&(&ar_takes | &(&*reading & &!&ends))).reset(0);
    waits.next(&(&reads | &(&*waits & &!&r_ready))).reset(0);
    last.next(&left.none()).enable(&reads);
    beat_id.next(&read_id).enable(&reads);
    let first_row = ar_address.slice(offset, row_bits);
    read_row.next(&ar_takes.mux(&first_row, &increment(&read_row, 1))).enable(&(&ar_takes | &reads));
    left.next(&ar_takes.mux(&ar_beats, &(&*left - lit(8, 1)))).enable(&(&ar_takes | &reads));
    read_id.next(&ar_id).enable(&ar_takes);
    m.output("m_axi_arready", &!&*reading);
    m.output("m_axi_rvalid", &waits);
    m.output("m_axi_rid", &beat_id);
    m.output("m_axi_rlast", &last);

    m.comment("The RAM.");
    let ram = m.memory("rows", rows, 8 * line, MemoryStyle::Block);
    ram.starts_with_zeros();
    let bytes_of_word = join(decode(&column, words).lanes(1).iter().map(|word| word.repeat(4)));
    let bytes_of_word = m.fault("a_word_fills_the_line", &bytes_of_word, &ones(line));
    let enables = m.wire("writes_bytes", &writes_word.mux(&bytes_of_word, &w_bytes.when(&beat)));
    let row = m.wire("row_written", &writes_word.mux(&word_row, &write_row));
    let data = m.wire("data_written", &writes_word.mux(&word_data.repeat(words), &w_data));
    ram.write_parts(&enables, &row, &data);
    let address = m.wire("row_read", &reads_word.mux(&word_row, &read_row));
    let read = ram.read_registered_where("row_data", &(&reads | &reads_word), &address);
    m.output("m_axi_rdata", &read);
    let read_column = m.register("word_read", column.width());
    read_column.next(&column).enable(&reads_word);
    m.output("word_answer", &select(&read_column, read.lanes(32)));
    m.output("word_ready", &word_write.mux(&ones(1), &free));
    m.finish()
}
