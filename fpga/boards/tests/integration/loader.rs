//! A core that is loaded over the serial line of a board, at its pins: by bytes, and by `host/weft_serial.py`.

use crate::support;

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;

use boards::{BoardError, elaborate, find};
use cores::Core;
use support::Bench;
use weft_config::{Config, Memory, MemoryKind, RAM_BASE};

const BAUD: u32 = 5_000_000;
const CONTROL: u32 = 0x9000_0000;

/// Multiplies the numbers of the computer by the argument of the run.
const SCALE: &str = r#"
#include "weft.h"
WEFT_HOST uint32_t input[96];
WEFT_HOST uint32_t output[96];
int main(uint32_t hart)
{
    for (uint32_t at = hart; at < 96; at += weft_threads())
        output[at] = input[at] * weft_argument();
    weft_barrier();
    if (hart == 0)
        weft_puts("scaled\n");
    return 0;
}
"#;

pub fn config() -> Config {
    let mut config = Config { warps: 2, threads: 2, ..Config::default() };
    config.memory = Memory::of_kind(MemoryKind::Axi4);
    config.memory.ram_bytes = 1 << 16;
    config.memory.stack_bytes = 1024;
    config.control.port = true;
    (config.icache.bytes, config.dcache.bytes) = (1024, 1024);
    config.trace.port = false;
    config.check().unwrap();
    config
}

fn bench() -> Bench {
    bench_of(&elaborate(find("ulx3s").unwrap(), &config(), &core(), BAUD).unwrap())
}

fn core() -> Core {
    cores::elaborate(&config(), RAM_BASE).unwrap()
}

fn bench_of(top: &Core) -> Bench {
    let board = find("ulx3s").unwrap();
    let mut bench = Bench::of(board, top, &[], BAUD);
    bench.run(11_000 * u64::from(board.clock.mhz));
    bench
}

fn command(letter: u8, address: u32, words: &[u32], count: usize) -> Vec<u8> {
    let header = [letter, (count - 1) as u8].into_iter().chain(address.to_le_bytes());
    header.chain(words.iter().flat_map(|word| word.to_le_bytes())).collect()
}

/// Reads words, and returns them with the last byte of the answer.
fn read(bench: &mut Bench, address: u32, count: usize) -> (Vec<u32>, u8) {
    let answer = bench.ask(&command(b'r', address, &[], count), 4 * count + 1);
    let words = answer.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
    (words, answer[4 * count])
}

#[test]
fn words_are_written_and_read_back() {
    let mut bench = bench();
    // Both lines of a word, a command across lines, the last word.
    let words: Vec<u32> = (0..7).map(|word| 0x0123_4567 + 0x1111_1111 * word).collect();
    for address in [RAM_BASE, RAM_BASE + 0x104, RAM_BASE + 0x1_0000 - 28] {
        assert_eq!(bench.ask(&command(b'w', address, &words, 7), 1), [0]);
        assert_eq!(read(&mut bench, address, 7), (words.clone(), 0));
    }
    assert_eq!(bench.ask(&command(b'w', RAM_BASE + 4, &[7], 1), 1), [0]);
    assert_eq!(read(&mut bench, RAM_BASE, 3), (vec![words[0], 7, words[2]], 0));
    assert_eq!(read(&mut bench, CONTROL, 1), (vec![u32::from_le_bytes(*b"Weft")], 0), "the register `id`");
}

/// Whether words of a line are written alone, several words one behind the other, and errors told.
fn keeps_words(bench: &mut Bench) -> bool {
    let words = [1, 2, 3];
    bench.ask(&command(b'w', RAM_BASE + 0x104, &words, 3), 1);
    let (found, _) = read(bench, RAM_BASE + 0x100, 5);
    found == [0, 1, 2, 3, 0] && read(bench, RAM_BASE - 4, 1).1 == 1
}

#[test]
fn broken_copies_of_bridge_and_memory_are_found() {
    let core = core();
    let board = find("ulx3s").unwrap();
    assert!(keeps_words(&mut bench()));
    for fault in
        ["axi_ram.a_word_fills_the_line", "serial_bridge.the_address_stays", "serial_bridge.an_error_is_not_told"]
    {
        let top = rtl::with_fault(fault, || elaborate(board, &config(), &core, BAUD)).unwrap();
        assert!(!keeps_words(&mut bench_of(&top)), "{fault}");
    }
}

#[test]
fn what_is_nowhere_is_an_error_and_what_is_cut_off_ends() {
    let mut bench = bench();
    for address in [RAM_BASE - 4, RAM_BASE + 0x1_0000, CONTROL + 0x10_0000, 0] {
        assert_eq!(read(&mut bench, address, 1).1, 1, "{address:#x}");
        assert_eq!(bench.ask(&command(b'w', address, &[1], 1), 1), [1], "{address:#x}");
    }
    // The first of these words exists, and the second does not.
    assert_eq!(read(&mut bench, RAM_BASE + 0xfffc, 2).1, 1);
    assert_eq!(read(&mut bench, RAM_BASE, 1), (vec![0], 0), "the next command begins anew");
    let mut cut = command(b'w', RAM_BASE + 64, &[5; 256], 256);
    cut.truncate(100);
    cut.extend([0; 1030]);
    bench.ask(&cut, 1);
    assert_eq!(read(&mut bench, RAM_BASE + 64, 1), (vec![5], 0));
}

#[test]
fn the_driver_loads_runs_and_reads_a_program() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let elf = kernels::compile("scale.c", SCALE, folder.path()).unwrap();
    fs::write(path("weft_registers.py"), cores::control::registers::python()).unwrap();
    let numbers: Vec<u32> = (0..96).map(|number| number * number).collect();
    fs::write(path("numbers"), numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>()).unwrap();

    // A pseudoterminal between the driver and this process.
    let relay = root.join("fpga/boards/tests/relay.py");
    let mut driver = Command::new("python3")
        .arg(relay)
        .arg(root.join("host/weft_serial.py"))
        .arg(elf)
        .args(["--registers".as_ref(), folder.path()])
        .args(["--ram-bytes", "0x10000", "--patience", "60", "--argument", "3"])
        .arg("--write")
        .arg(format!("input={}", path("numbers").display()))
        .arg("--read")
        .arg(format!("output=384={}", path("scaled").display()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut answers, mut requests) = (driver.stdin.take().unwrap(), driver.stdout.take().unwrap());
    let (sender, arrived) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = requests.read(&mut bytes) {
            sender.send(bytes[..count].to_vec()).unwrap();
        }
    });
    let mut bench = bench();
    loop {
        match arrived.try_recv() {
            Ok(bytes) => bench.send(&bytes),
            Err(mpsc::TryRecvError::Empty) => bench.run(500),
            Err(mpsc::TryRecvError::Disconnected) => break,
        }
        let _ = answers.write_all(&bench.take());
        let _ = answers.flush();
    }
    drop(answers);
    let output = driver.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("scaled\n") && said.contains(" thread instructions\n"), "{said}");
    let scaled: Vec<u8> = numbers.iter().flat_map(|number| (3 * number).to_le_bytes()).collect();
    assert_eq!(fs::read(path("scaled")).unwrap(), scaled);
}

#[test]
fn ram_that_is_no_power_of_two_ends_where_it_ends() {
    let mut config = config();
    config.memory.ram_bytes = 3 << 14;
    config.check().unwrap();
    let core = cores::elaborate(&config, RAM_BASE).unwrap();
    let top = elaborate(find("ulx3s").unwrap(), &config, &core, BAUD).unwrap();
    let mut bench = bench_of(&top);
    assert_eq!(read(&mut bench, RAM_BASE + 0xbffc, 1), (vec![0], 0));
    assert_eq!(read(&mut bench, RAM_BASE + 0xc000, 1).1, 1);
}

#[test]
fn a_board_without_a_receiver_and_too_much_ram_are_refused() {
    let refused = |board: &str, config: &Config| {
        let core = cores::elaborate(config, RAM_BASE).unwrap();
        elaborate(find(board).unwrap(), config, &core, boards::BAUD).map(drop).unwrap_err()
    };
    let mut config = config();
    insta::assert_snapshot!(refused("de2-115", &config).to_string(), @r#"--board de2-115: a core with a control port is loaded over the serial line, and no pin receives here; expected --board ulx3s, or memory.kind = "bram""#);
    config.memory.ram_bytes = 1 << 24;
    insta::assert_snapshot!(refused("ulx3s", &config).to_string(), @"--board ulx3s: memory.ram_bytes = 16777216; a core with a control port has its RAM in block RAM here; expected at most 262144");
    config.memory.ram_bytes = 1 << 16;
    config.memory.base = 0x9000_0000;
    insta::assert_snapshot!(refused("ulx3s", &config).to_string(), @"--board ulx3s: memory.base = 0x90000000; the control port is at 0x90000000 on the serial line");
    config.memory.base = RAM_BASE;
    let core = cores::elaborate(&config, RAM_BASE).unwrap();
    let error = elaborate(find("ulx3s").unwrap(), &config, &core, 12_500_000).map(drop).unwrap_err();
    assert!(matches!(error, BoardError::Baud { nearest: 6_250_000, .. }), "{error}");
}
