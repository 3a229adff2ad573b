//! The table against a slow implementation of the same rules, against independent lanes, and in hand-worked cases.

use super::*;
use crate::policy::tests::*;

mod hand_worked;
mod rules;
mod waiting;
