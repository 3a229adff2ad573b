use super::*;

#[test]
fn each_record_is_one_json_object_that_names_its_kind() {
    let commit = Commit {
        cycle: 12,
        warp: 1,
        number: 7,
        pc: 0x8000_0004,
        instruction: 0x0011_2023,
        mask: 0b11,
        served: 0b01,
        values: vec![0, 0],
        memory: MemoryOp::Store,
        memory_address: 0x8000_0100,
        memory_data: vec![5, 0],
        memory_mask: [0xf, 0, 0, 0],
        ..Commit::default()
    };
    let late = LateWrite { cycle: 20, warp: 1, number: 7, rd: 3, mask: 0b10, values: vec![0, 9], slot: 0 };
    let path = PathRecord { pc: 0x8000_0004, depth: 1, mask: 0b10, parked: true };
    let behind = PathRecord { pc: 0x8000_0100, depth: 0, mask: 0b01, parked: false };
    let moves = Moves { extracts: true, ..Moves::default() };
    let context = Context {
        cycle: 12,
        warp: 1,
        slot: 0,
        event: Event::Commit,
        x: Some(path),
        y: Some(behind),
        moves,
        released: 0,
    };
    let release = Context::release(13, 0b11);
    let exchange = Exchange { cycle: 14, warp: 1, row: 3, sorting: Sorting::Fold };
    let records = [
        Record::Commit(commit),
        Record::LateWrite(late),
        Record::Context(context),
        Record::Context(release),
        Record::Exchange(exchange),
    ];
    let lines: Vec<String> =
        records.iter().map(|record| serde_json::to_string(record).expect("records are plain data")).collect();
    insta::assert_snapshot!(lines.join("\n"));
}
