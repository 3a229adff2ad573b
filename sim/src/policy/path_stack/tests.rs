//! The path stack against a slow implementation of the same rules, against independent threads, and in hand-worked cases.

use super::*;
use crate::policy::tests::*;

mod hand_worked;
mod programs;
mod rules;
mod waiting;
