//! The control-flow analysis of compiled programs, compared with the definition on graphs of their words, and with
//! the behaviour of their threads.

mod definition;
mod followed;
mod programs;
