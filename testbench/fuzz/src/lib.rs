//! Random divergent programs on a verilated core, compared with the golden model commit by commit, and with QEMU.
//!
//! - [`profile`], [`generate`](mod@generate): the weights of programs, and the generator;
//! - [`program`], [`assembly`]: a program as nested statements, and as the text that binutils encodes;
//! - [`point`]: a core of random size, unit and memory;
//! - [`trial`]: one program on one core;
//! - [`reference`]: the same programs thread by thread on QEMU, which shares no code with the project;
//! - [`shrink`]: the smallest program that fails in the same way;
//! - [`campaign`]: many programs, resumable, with a folder for each failure;
//! - [`coverage`]: the parts of the hardware that they exercised.
#![deny(unsafe_code)]

pub mod assembly;
pub mod build;
pub mod campaign;
pub mod coverage;
pub mod generate;
pub mod point;
pub mod profile;
pub mod program;
pub mod reference;
pub mod shrink;
pub mod trial;
