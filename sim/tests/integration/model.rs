//! Tests of the golden model through its public interface.

mod atomics;
mod barrier;
mod bench;
mod control;
mod control_flow;
mod csr;
mod decode;
mod elf;
mod faults;
mod instructions;
mod memory;
mod multiply;
mod paths;
mod random_programs;
mod reconvergence;
mod run;
mod scalar;
mod stacks;
