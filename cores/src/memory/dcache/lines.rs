//! The lines of the data cache: one bank of words for each lane, and a tag for each line.
//!
//! Storage: `dcache.bytes` of block RAM in T banks with byte enables; a tag, two bits and a load's tag for each line.

use rtl::{Builder, Bundle, ElaborationError, MemoryStyle, Module, join};

use super::Geometry;

rtl::bundle! {
    /// The state of a line.
    pub struct Tag(geometry: &Geometry) {
        /// The upper bits of its row.
        upper: geometry.upper_bits(),
        /// The bank words are those of the row.
        valid: 1,
        /// A refill is on its way. It belongs to the row unless a store followed it.
        pending: 1,
        /// The tag of the load that reads the refill.
        primary: geometry.tag_bits,
    }
}

pub fn elaborate(geometry: &Geometry) -> Result<Module, ElaborationError> {
    let Geometry { threads, .. } = *geometry;
    let lines = geometry.lines();
    let m = Builder::new(
        "dcache_lines",
        &format!("The data cache's {lines} lines: {threads} banks of words, and the tags."),
    );
    m.timing(
        "reads are registered, and stay until the next read. A word that is read at the edge of its write is \
         undefined.",
    );
    m.port_group("look-up of a line, and reading of its words alone");
    let looks_up = m.input("looks_up", 1);
    let reads = m.input("reads", 1);
    let read_index = m.input("read_index", geometry.index_bits);
    m.port_group("a new state of a line");
    let writes_tag = m.input("writes_tag", 1);
    let tag_index = m.input("tag_index", geometry.index_bits);
    let written = Tag::inputs(&m, geometry, "written").pack();
    m.port_group("bytes that are written to a line");
    let mask = m.input("mask", 4 * threads);
    let index = m.input("index", geometry.index_bits);
    let data = m.input("data", 32 * threads);

    let tags = m.memory("tags", lines, Tag::bits(geometry), MemoryStyle::BlockUnordered);
    tags.write(&writes_tag, &tag_index, &written);
    let found = tags.read_registered_where("tag_found", &looks_up, &read_index);
    let reads = m.wire("reads_words", &(looks_up | reads));
    let word = |number: usize| {
        let bank = m.memory(&format!("bank_{number}"), lines, 32, MemoryStyle::BlockUnordered);
        bank.write_parts(&mask.lane(number, 4), &index, &data.lane(number, 32));
        bank.read_registered_where(&format!("word_{number}"), &reads, &read_index)
    };
    let line = join((0..threads).map(word));
    m.port_group("what was found, and the line that was read last");
    Tag::unpack(&m, geometry, &found).outputs(&m, "found");
    m.output("line", &line);
    m.finish()
}
