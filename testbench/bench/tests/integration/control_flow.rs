//! The control-flow analysis of compiled programs: held against the definition on graphs of
//! their own words, and against what their threads do.

mod definition;
mod followed;
mod programs;
