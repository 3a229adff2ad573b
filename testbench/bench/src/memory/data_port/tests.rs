use super::*;
use crate::memory::RAM_BASE;
use weft_config::Latency;

fn config(latency: (u32, u32), seed: u64) -> Config {
    let mut config = Config { warps: 1, threads: 4, ..Config::default() };
    config.memory.ram_bytes = 65536;
    config.memory.latency = Latency { min: latency.0, max: latency.1 };
    config.memory.seed = seed;
    config
}

fn ram(config: &Config) -> Ram {
    Ram::empty(config)
}

fn load(address: u32, tag: u32) -> Request<'static> {
    Request { code: 0, address, tag, mask: [0; 4], data: &[0; 4], hart: 0 }
}

fn store<'a>(address: u32, mask: u64, data: &'a [u32]) -> Request<'a> {
    Request { code: 1, address, tag: 0, mask: [mask, 0, 0, 0], data, hart: 0 }
}

#[test]
fn stores_write_the_masked_bytes_alone() {
    let config = config((1, 1), 1);
    let (mut ram, mut port) = (ram(&config), DataPort::new(&config));
    port.accept(0, &store(RAM_BASE + 16, 0xffff, &[0x11111111; 4]), &mut ram).unwrap();
    port.accept(1, &store(RAM_BASE + 16, 0b1000_0000_0110_0001, &[0xaabbccdd; 4]), &mut ram).unwrap();
    let words = [0x111111dd, 0x11bbcc11, 0x11111111, 0xaa111111];
    assert_eq!([16, 20, 24, 28].map(|offset| ram.read_word(RAM_BASE + offset).unwrap()), words);
    assert_eq!(port.in_flight(), 0);
}

#[test]
fn fixed_latency_answers_in_order_and_in_time() {
    let config = config((20, 20), 1);
    let (mut ram, mut port) = (ram(&config), DataPort::new(&config));
    assert!((0..1000).all(|_| port.ready()));
    port.accept(5, &load(RAM_BASE, 3), &mut ram).unwrap();
    port.accept(6, &load(RAM_BASE + 16, 1), &mut ram).unwrap();
    let answers: Vec<_> = (6..40).filter_map(|now| port.respond(now).map(|r| (now, r.tag))).collect();
    assert_eq!(answers, [(25, 3), (26, 1)]);
}

#[test]
fn a_load_sees_the_stores_accepted_before_it_only() {
    let config = config((9, 9), 1);
    let (mut ram, mut port) = (ram(&config), DataPort::new(&config));
    port.accept(0, &store(RAM_BASE, 0xffff, &[1, 2, 3, 4]), &mut ram).unwrap();
    port.accept(1, &load(RAM_BASE, 0), &mut ram).unwrap();
    port.accept(2, &store(RAM_BASE, 0xffff, &[5, 6, 7, 8]), &mut ram).unwrap();
    assert_eq!(port.respond(10).unwrap().data, [1, 2, 3, 4]);
    assert_eq!(ram.read_word(RAM_BASE), Some(5));
}

/// (cycle, tag) of each response, and the cycles in which requests were refused.
fn random_run(seed: u64) -> (Vec<(u64, u32)>, Vec<u64>) {
    let config = config((1, 60), seed);
    let (mut ram, mut port) = (ram(&config), DataPort::new(&config));
    let (mut answers, mut refused, mut free) = (Vec::new(), Vec::new(), (0..16).collect::<Vec<u32>>());
    for now in 0..2000 {
        if let Some(response) = port.respond(now) {
            answers.push((now, response.tag));
            free.push(response.tag);
        }
        if !port.ready() {
            refused.push(now);
        } else if let Some(tag) = free.pop() {
            port.accept(now, &load(RAM_BASE, tag), &mut ram).unwrap();
        }
    }
    (answers, refused)
}

#[test]
fn random_latency_reorders_refuses_and_repeats_by_seed() {
    let (answers, refused) = random_run(7);
    assert_eq!((answers.clone(), refused.clone()), random_run(7));
    assert_ne!(answers, random_run(8).0);
    assert!((150..350).contains(&refused.len()), "{}", refused.len());
    assert!(answers.len() > 500);
    assert!(answers.windows(2).all(|pair| pair[0].0 < pair[1].0), "two responses in one cycle");
}

#[test]
fn random_latency_stays_in_its_range_and_lets_later_loads_overtake() {
    let config = config((1, 60), 3);
    let (mut ram, mut port) = (ram(&config), DataPort::new(&config));
    for tag in 0..8 {
        port.accept(u64::from(tag), &load(RAM_BASE, tag), &mut ram).unwrap();
    }
    let order: Vec<_> = (0..100).filter_map(|now| port.respond(now).map(|r| (now, r.tag))).collect();
    assert_eq!(order.len(), 8);
    assert!(order.iter().any(|&(now, tag)| now > u64::from(tag) + 1));
    assert!(order.windows(2).any(|pair| pair[0].1 > pair[1].1), "{order:?}");
    assert!(order.iter().all(|&(now, tag)| now > u64::from(tag) && now <= u64::from(tag) + 60 + 8));
}

#[test]
fn requests_against_the_protocol_are_reported_by_signal() {
    let config = config((5, 5), 1);
    let (mut ram, mut port) = (ram(&config), DataPort::new(&config));
    port.accept(0, &load(RAM_BASE, 2), &mut ram).unwrap();
    let table = [
        (Request { code: 13, ..load(RAM_BASE, 0) }, "dmem_req_op"),
        (Request { code: 5, ..load(RAM_BASE, 0) }, "dmem_req_mask"),
        (Request { code: 5, mask: [0x1e, 0, 0, 0], ..load(RAM_BASE, 0) }, "dmem_req_mask"),
        (Request { code: 5, mask: [0xff, 0, 0, 0], ..load(RAM_BASE, 0) }, "dmem_req_mask"),
        (Request { code: 2, mask: [0xf0, 0, 0, 0], hart: 4, ..load(RAM_BASE, 0) }, "dmem_req_hart"),
        (Request { code: 5, mask: [0xf0, 0, 0, 0], ..load(RAM_BASE, 2) }, "dmem_req_tag"),
        (load(RAM_BASE + 4, 0), "dmem_req_addr"),
        (load(RAM_BASE - 16, 0), "dmem_req_addr"),
        (store(RAM_BASE + 65536, 1, &[0; 4]), "dmem_req_addr"),
        (store(RAM_BASE, 0, &[0; 4]), "dmem_req_mask"),
        (load(RAM_BASE, 2), "dmem_req_tag"),
        (load(RAM_BASE, 16), "dmem_req_tag"),
    ];
    for (request, signal) in table {
        assert_eq!(port.accept(1, &request, &mut ram).unwrap_err().signal, signal, "{request:?}");
    }
    port.respond(5).unwrap();
    port.accept(6, &load(RAM_BASE, 2), &mut ram).unwrap();
}

fn atomic(code: u64, hart: u32, word: usize, data: &[u32]) -> Request<'_> {
    Request { code, address: RAM_BASE, tag: 0, mask: [0xf << (4 * word), 0, 0, 0], data, hart }
}

/// Accepts a request; returns the word in the response, and the word in memory afterwards.
fn answer(port: &mut DataPort, ram: &mut Ram, request: &Request<'_>) -> (u32, u32) {
    let word = request.mask[0].trailing_zeros() as usize / 4;
    port.accept(0, request, ram).unwrap();
    (port.respond(1).unwrap().data[word], ram.read_word(RAM_BASE + 4 * word as u32).unwrap())
}

#[test]
fn atomic_operations_answer_the_old_word_and_leave_the_new_one() {
    let config = config((1, 1), 1);
    let minus_two = -2i32 as u32;
    #[rustfmt::skip]
    let table = [
        (4, 5, 9, 9), (5, 5, 9, 14), (5, u32::MAX, 2, 1), (6, 0b1100, 0b1010, 0b0110), (7, 0b1100, 0b1010, 0b1000),
        (8, 0b1100, 0b1010, 0b1110), (9, minus_two, 1, minus_two), (9, 1, minus_two, minus_two),
        (10, minus_two, 1, 1), (10, 1, minus_two, 1), (11, minus_two, 1, 1), (11, 1, minus_two, 1),
        (12, minus_two, 1, minus_two), (12, 1, minus_two, minus_two),
    ];
    for (code, old, operand, new) in table {
        let (mut ram, mut port) = (ram(&config), DataPort::new(&config));
        ram.write(RAM_BASE, &[7, 7, old, 7], [0xffff, 0, 0, 0]);
        let line = [8, 8, operand, 8];
        assert_eq!(answer(&mut port, &mut ram, &atomic(code, 0, 2, &line)), (old, new), "operation {code}");
        assert_eq!([0, 1, 3].map(|word| ram.read_word(RAM_BASE + 4 * word)), [Some(7); 3]);
    }
}

#[test]
fn a_reservation_is_one_word_of_one_hart_until_the_word_is_written_or_it_is_used() {
    let config = config((1, 1), 1);
    let (mut ram, mut port) = (ram(&config), DataPort::new(&config));
    let (ram, port) = (&mut ram, &mut port);
    let line = [1, 2, 3, 4];
    let reserve = |hart, word, port: &mut DataPort, ram: &mut Ram| {
        answer(port, ram, &atomic(2, hart, word, &line));
    };
    let succeeds =
        |hart, word, port: &mut DataPort, ram: &mut Ram| answer(port, ram, &atomic(3, hart, word, &line)).0 == 0;
    assert!(!succeeds(0, 0, port, ram), "never reserved");

    reserve(0, 0, port, ram);
    assert!(succeeds(0, 0, port, ram));
    assert!(!succeeds(0, 0, port, ram), "used up");

    reserve(0, 0, port, ram);
    assert!(!succeeds(0, 1, port, ram), "another word");
    assert!(!succeeds(0, 0, port, ram), "used up by a failure");

    reserve(0, 0, port, ram);
    reserve(1, 0, port, ram);
    assert!(succeeds(1, 0, port, ram));
    assert!(!succeeds(0, 0, port, ram), "written by another hart");

    reserve(0, 0, port, ram);
    reserve(0, 1, port, ram);
    assert!(!succeeds(0, 0, port, ram), "replaced");

    reserve(0, 2, port, ram);
    port.accept(0, &store(RAM_BASE, 0b1111_0000_1111_1111, &line), ram).unwrap();
    assert!(succeeds(0, 2, port, ram), "its neighbours were written");
    reserve(0, 2, port, ram);
    port.accept(0, &store(RAM_BASE, 0b0100_0000_0000, &line), ram).unwrap();
    assert!(!succeeds(0, 2, port, ram), "a byte was written");

    reserve(0, 2, port, ram);
    answer(port, ram, &atomic(8, 0, 2, &[0; 4]));
    assert!(!succeeds(0, 2, port, ram), "written by an atomic operation of its own, if by nothing new");

    reserve(0, 2, port, ram);
    assert!(!succeeds(1, 2, port, ram), "of another hart");
    assert!(succeeds(0, 2, port, ram), "a failure writes nothing");
}

#[test]
fn only_what_was_written_is_reported() {
    let config = config((1, 1), 1);
    let (mut ram, mut port) = (ram(&config), DataPort::new(&config));
    let table = [
        (load(RAM_BASE, 1), false),
        (store(RAM_BASE, 1, &[0; 4]), true),
        (Request { tag: 2, ..atomic(2, 0, 0, &[0; 4]) }, false),
        (Request { tag: 3, ..atomic(3, 0, 0, &[0; 4]) }, true),
        (Request { tag: 4, ..atomic(3, 0, 0, &[0; 4]) }, false),
        (Request { tag: 5, ..atomic(8, 0, 0, &[0; 4]) }, true),
    ];
    for (request, written) in table {
        assert_eq!(port.accept(0, &request, &mut ram), Ok(written), "{request:?}");
    }
}

#[test]
fn a_bandwidth_below_one_refuses_in_between() {
    let mut config = config((1, 1), 1);
    config.memory.bandwidth = weft_config::Bandwidth(250);
    let (mut ram, mut port) = (ram(&config), DataPort::new(&config));
    let stored: Vec<u64> = (0..20)
        .filter(|now| port.ready() && port.accept(*now, &store(RAM_BASE, 1, &[0; 4]), &mut ram).unwrap())
        .collect();
    assert_eq!(stored, [3, 7, 11, 15, 19]);
}
