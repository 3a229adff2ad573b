//! The unit against a slow implementation of the same rules, against the single-path stack, and its longest waits.

use super::*;
use crate::policy::tests::*;

mod programs;
mod rules;
mod waiting;
