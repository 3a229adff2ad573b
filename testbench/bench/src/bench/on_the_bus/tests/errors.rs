//! Error responses: their data is not used, and no further request follows.

use super::alone::{Alone, config};
use verilate::Model;

/// Sends a request, makes every response carry `code`, and returns the reported error.
fn after(operation: u64, code: u64) -> (String, Alone) {
    let mut alone = Alone::new(&config(4, 16, (5, 5), 1000));
    let [rresp, bresp] = [alone.side.bus.rresp, alone.side.bus.bresp];
    alone.ask(operation, 3, 2);
    for _ in 0..50 {
        let stepped = alone.step(|model| {
            model.set(rresp, code);
            model.set(bresp, code);
        });
        assert!(!alone.is_answered(), "an error was answered as data");
        if let Err(message) = stepped {
            return (message, alone);
        }
    }
    panic!("no error is reported")
}

#[test]
fn an_error_is_told_with_its_kind_and_line_and_nothing_goes_on() {
    for (operation, code, told) in [
        (0, 2, "SLVERR for a read at 0x80000030"),
        (0, 3, "DECERR for a read at 0x80000030"),
        (1, 2, "SLVERR for a write at 0x80000030"),
        (1, 3, "DECERR for a write at 0x80000030"),
        (5, 2, "SLVERR for a read at 0x80000030"),
    ] {
        let (message, mut alone) = after(operation, code);
        assert!(message.contains(told), "{message}");
        for tag in 4..7 {
            alone.ask(0, 7, tag);
            for _ in 0..20 {
                let message = alone.step(|_| ()).expect_err("the error is sticky");
                assert!(message.contains(told), "{message}");
                let bus = &alone.side.bus;
                let asks = [bus.arvalid, bus.awvalid, bus.wvalid].into_iter().any(|port| alone.model.bit(port));
                assert!(!asks && !alone.is_answered() && !alone.is_idle(), "{told}: it goes on");
            }
        }
        assert!(!alone.is_accepted(), "{told}: three more requests accepted");
    }
}

#[test]
fn the_second_error_does_not_hide_the_first() {
    let mut alone = Alone::new(&config(4, 16, (5, 5), 1000));
    let rresp = alone.side.bus.rresp;
    for tag in 0..2 {
        alone.ask(0, 3 + tag, tag);
        while !alone.is_accepted() {
            alone.step(|_| ()).unwrap();
        }
    }
    let told: Vec<String> = (0..30).filter_map(|_| alone.step(|model| model.set(rresp, 2)).err()).collect();
    assert!(told.len() > 15 && told.iter().all(|message| message.contains("0x80000030")), "{told:?}");
}

#[test]
fn an_amo_that_was_answered_before_an_error_is_still_written_back() {
    let mut alone = Alone::new(&config(4, 16, (5, 5), 1000));
    let [rid, rresp, awvalid] = [alone.side.bus.rid, alone.side.bus.rresp, alone.side.bus.awvalid];
    for (operation, tag) in [(5, 0), (0, 1)] {
        alone.ask(operation, 3 + tag, tag);
        while !alone.is_accepted() {
            alone.step(|_| ()).unwrap();
        }
    }
    let of_the_load = |model: &mut Model| model.set(rresp, if model.get(rid) == 1 { 2 } else { 0 });
    let after_the_error = (0..30).filter(|_| alone.step(of_the_load).is_err() && alone.model.bit(awvalid)).count();
    assert!(after_the_error > 0, "no write after the error");
}
