//! The reference: batches of several threads at once, and jobs after one that does not end.

use std::time::Duration;

use fuzz::build::Assembler;
use fuzz::reference::{Ended, Job, Reference};
use weft_config::Config;

/// Every hart adds 7 to its word, `first` in a program that ends.
fn job(assembler: &Assembler, first: u32, ends: bool) -> Job {
    let config = Config { warps: 1, threads: 4, ..Config::default() };
    let stop = if ends { "csrw 0x800, x0" } else { "j ." };
    let text = format!(
        ".globl _start\n_start: la x5, results_begin\ncsrr x6, mhartid\nslli x6, x6, 2\nadd x5, x5, x6\n\
         lw x7, 0(x5)\naddi x7, x7, 7\nsw x7, 0(x5)\n{stop}\n\
         .data\n.globl results_begin, results_end\nresults_begin: .word {first}, {first}, {first}, {first}\nresults_end:\n"
    );
    Job::load(&config, &assembler.elf(&text).unwrap()).unwrap()
}

#[test]
fn threads_with_batches_of_their_own_do_not_meet() {
    let assembler = Assembler::find().unwrap();
    let reference = Reference::find(&assembler).unwrap();
    let jobs: Vec<Vec<Job>> =
        (0..4).map(|thread| (0..20).map(|number| job(&assembler, 100 * thread + number, true)).collect()).collect();
    std::thread::scope(|scope| {
        for (thread, jobs) in jobs.iter().enumerate() {
            let reference = &reference;
            scope.spawn(move || {
                for _ in 0..5 {
                    let ended = reference.run(jobs).unwrap();
                    for (number, ended) in ended.into_iter().enumerate() {
                        assert_eq!(ended, Ended::Results(vec![100 * thread as u32 + number as u32 + 7; 4]));
                    }
                }
            });
        }
    });
}

#[test]
fn one_that_does_not_end_is_not_taken_for_those_behind_it() {
    let assembler = Assembler::find().unwrap();
    let reference = Reference::find(&assembler).unwrap().limited_to(Duration::from_secs(10));
    let jobs = [true, false, true, false, true].map(|ends| job(&assembler, 35, ends));
    let done = Ended::Results(vec![42; 4]);
    let expected = [done.clone(), Ended::Endless, done.clone(), Ended::Endless, done];
    assert_eq!(reference.run(&jobs).unwrap(), expected);
}
