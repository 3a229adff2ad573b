//! Three implementations of the instruction encodings: the golden model's decoder, the hardware's instruction table,
//! and stages S2, S4, S5 and S6; and binutils for comparison. The words are every pattern of opcode, funct3, funct7
//! and rs2, with the relevant register numbers, with and without M and A.

mod asked;
mod binutils;
mod expected;
mod hardware;
mod patterns;
mod table;

use std::time::Instant;

use hardware::Stages;
use patterns::Words;
use sim::decode::decode;
use table::Table;
use weft_config::{Config, EXTENSIONS, Isa};

fn sets() -> Vec<Isa> {
    let all_but_one = EXTENSIONS.iter().map(|extension| Isa::ALL.without(extension));
    [Isa::ALL, Isa::default(), Isa::BASE].into_iter().chain(all_but_one).collect()
}

/// Every pattern for a core with all extensions; for the others those whose legality changes.
fn words(isa: Isa) -> Words {
    if isa == Isa::ALL { Words::all() } else { Words::of_opcodes(&[0x13, 0x2f, 0x33]) }
}

#[test]
fn the_table_holds_the_instructions_of_the_model() {
    for isa in sets() {
        let table = Table::new(isa);
        let (start, mut legal, mut illegal) = (Instant::now(), 0_u32, 0_u32);
        words(isa).for_each(|word| {
            let in_table = table.text(word);
            let of_model = decode(word).filter(|instruction| instruction.supported(&isa));
            assert_eq!(in_table, of_model.map(|instruction| instruction.to_string()), "{word:#010x} with {isa:?}");
            *if in_table.is_some() { &mut legal } else { &mut illegal } += 1;
        });
        println!("{isa:?}: {legal} legal and {illegal} illegal words in {:.1} s", start.elapsed().as_secs_f64());
        assert!(legal > 3_000 && illegal > 100_000, "too few words");
    }
}

#[test]
fn the_table_agrees_with_binutils_where_legality_can_change() {
    let words = binutils::words();
    let table = Table::new(binutils::KNOWN);
    let (mut legal, mut illegal) = (0, 0);
    for (index, (word, line)) in words.iter().zip(binutils::disassemble(&words)).enumerate() {
        match table.text(*word) {
            Some(text) => {
                legal += 1;
                let text = binutils::at(&text, 4 * index as u32);
                assert!(binutils::same(*word, &text, &line), "{word:#010x}: {text} here, {line} in binutils");
            }
            None => {
                illegal += 1;
                let known = table.has(binutils::mnemonic(&line)) && !binutils::is_reserved_shift(*word);
                assert!(!known, "{word:#010x}: illegal here, {line} in binutils");
            }
        }
    }
    println!("{legal} legal and {illegal} illegal words");
    assert!(legal > 30_000 && illegal > 30_000);
}

#[test]
fn the_stages_decode_what_the_model_decodes() {
    for isa in sets() {
        let mut config = Config { warps: 2, threads: 2, isa, ..Config::default() };
        // Each CSR instruction gets a new model.
        config.memory.ram_bytes = 1 << 16;
        let mut stages = Stages::new(&config);
        let (start, mut count) = (Instant::now(), 0_u32);
        words(isa).for_each(|word| {
            count += 1;
            stages.check(word);
        });
        println!("{isa:?}: {count} words in {:.1} s", start.elapsed().as_secs_f64());
    }
}
