//! Random divergent programs on a verilated core, commit by commit against the golden model, and against QEMU.
//!
//! - [`profile`], [`generate`](mod@generate): what programs consist of, and how they are drawn;
//! - [`program`], [`assembly`]: a program as nested statements, and as the text that binutils encodes;
//! - [`point`]: a core of random size, unit and memory;
//! - [`trial`]: one program on one core;
//! - [`reference`]: the same programs thread by thread on QEMU, which shares nothing with the project;
//! - [`shrink`]: the least program that fails alike;
//! - [`campaign`]: many programs, resumable, with a folder for each failure;
//! - [`coverage`]: what of the hardware they exercised.
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
