//! Possible values of the registers, and the effect of one instruction on them.

use weft_config::extension::ZBA;

use super::value::Value;
use crate::Program;
use crate::decode::{Arithmetic, Computation, Condition, Form, Instruction, Register, Width};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State([Value; 32]);

/// Registers that a call may change, by the calling convention: ra, t0 to t6, a0 to a7.
pub(super) const CHANGED_BY_CALLS: [Register; 16] = [1, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 28, 29, 30, 31];

impl State {
    /// The state at the entry of an unknown function: ra, or t0, holds the return address.
    pub fn entry() -> Self {
        let mut state = Self(std::array::from_fn(|_| Value::Any));
        state.0[0] = Value::constant(0);
        state.0[1] = Value::Link;
        state.0[5] = Value::Link;
        state
    }

    pub fn unknown() -> Self {
        let mut state = Self::entry();
        state.0[1] = Value::Any;
        state.0[5] = Value::Any;
        state
    }

    pub fn get(&self, register: Register) -> &Value {
        &self.0[usize::from(register)]
    }

    pub fn set(&mut self, register: Register, value: Value) {
        if register != 0 {
            self.0[usize::from(register)] = value;
        }
    }

    /// Joins the state of another predecessor. Returns whether that changed anything.
    pub fn join(&mut self, other: &Self) -> bool {
        let mut changed = false;
        for (value, other) in self.0.iter_mut().zip(&other.0) {
            let joined = value.join(other);
            changed |= joined != *value;
            *value = joined;
        }
        changed
    }

    /// Drops the value sets that differ from an earlier state and have more than one value. A counting loop is then
    /// not followed iteration by iteration.
    pub fn widen(&mut self, earlier: &Self) {
        for (value, earlier) in self.0.iter_mut().zip(&earlier.0) {
            if value != earlier && value.values().is_some() {
                *value = Value::Any;
            }
        }
    }

    pub fn call(&mut self) {
        CHANGED_BY_CALLS.into_iter().for_each(|register| self.set(register, Value::Any));
    }

    pub fn execute(&mut self, instruction: Instruction, pc: u32, program: &Program) {
        let table = |value: &Value| value.single().filter(|address| program.word(*address).is_some());
        let (rd, value) = match instruction {
            Instruction::LoadUpper { rd, immediate } => (rd, Value::constant(immediate)),
            Instruction::AddUpperToPc { rd, immediate } => (rd, Value::constant(pc.wrapping_add(immediate))),
            Instruction::Jump { rd, .. } | Instruction::JumpRegister { rd, .. } => {
                (rd, Value::constant(pc.wrapping_add(4)))
            }
            Instruction::Immediate { operation: Arithmetic::Add, rd, rs1, immediate: 0 } => (rd, self.get(rs1).clone()),
            Instruction::Immediate { operation, rd, rs1, immediate } => {
                (rd, arithmetic(operation, self.get(rs1), &Value::constant(immediate), &table))
            }
            Instruction::Registers { operation, rd, rs1, rs2 } => {
                (rd, arithmetic(operation, self.get(rs1), self.get(rs2), &table))
            }
            Instruction::Compute { computation, rd, rs1, rs2 } => {
                let second =
                    if computation.form == Form::Registers { self.get(rs2) } else { &Value::constant(rs2.into()) };
                (rd, computed(computation, self.get(rs1), second, &table))
            }
            Instruction::Load { width, signed, rd, rs1, offset } => {
                (rd, load((width, signed), self.get(rs1), offset, program))
            }
            other => match other.destination() {
                Some(rd) => (rd, Value::Any),
                None => return,
            },
        };
        self.set(rd, value);
    }

    /// Adds the condition of a branch that was taken or not taken. `None` if that outcome is impossible.
    pub fn assume(mut self, condition: Condition, (rs1, rs2): (Register, Register), taken: bool) -> Option<Self> {
        let (a, b) = (self.get(rs1).clone(), self.get(rs2).clone());
        let (a, b) = match (condition, taken) {
            (Condition::Equal, true) | (Condition::NotEqual, false) => (equal(&a, &b)?, equal(&b, &a)?),
            (Condition::NotEqual, true) | (Condition::Equal, false) => (unlike(&a, &b)?, unlike(&b, &a)?),
            (Condition::LessUnsigned, true) | (Condition::GreaterEqualUnsigned, false) => less(&a, &b, 0)?,
            (Condition::GreaterEqualUnsigned, true) | (Condition::LessUnsigned, false) => {
                let (b, a) = less(&b, &a, 1)?;
                (a, b)
            }
            // Signed comparisons give no bound on either side.
            _ => (a, b),
        };
        self.set(rs1, a);
        self.set(rs2, b);
        Some(self)
    }
}

fn arithmetic(operation: Arithmetic, a: &Value, b: &Value, table: &dyn Fn(&Value) -> Option<u32>) -> Value {
    let shift = |b: u32| b & 31;
    let result = match operation {
        Arithmetic::Add => a.combine(b, u32::wrapping_add),
        Arithmetic::Sub => a.combine(b, u32::wrapping_sub),
        Arithmetic::ShiftLeft => a.combine(b, |a, b| a << shift(b)),
        Arithmetic::ShiftRight => a.combine(b, |a, b| a >> shift(b)),
        Arithmetic::ShiftRightArithmetic => a.combine(b, |a, b| (a as i32 >> shift(b)) as u32),
        Arithmetic::SetLess | Arithmetic::SetLessUnsigned => Value::below(2),
        Arithmetic::Xor => a.combine(b, |a, b| a ^ b),
        Arithmetic::Or => a.combine(b, |a, b| a | b),
        Arithmetic::And => a.combine(b, |a, b| a & b),
    };
    if result != Value::Any {
        return result;
    }
    match (operation, a.single(), b.single()) {
        (Arithmetic::And, Some(mask), None) | (Arithmetic::And, None, Some(mask)) => Value::submasks(mask),
        (Arithmetic::ShiftRight, None, Some(amount)) => Value::below(1 << (32 - shift(amount))),
        (Arithmetic::Add, ..) if a.is_indexed() || b.is_indexed() => Value::Indexed,
        (Arithmetic::Add, ..) => table(a).or(table(b)).map_or(Value::Any, Value::Element),
        _ => Value::Any,
    }
}

fn computed(computation: &Computation, a: &Value, b: &Value, table: &dyn Fn(&Value) -> Option<u32>) -> Value {
    match a.combine(b, computation.compute) {
        // A shifted index is added to the address of a table.
        Value::Any if computation.extension == ZBA => arithmetic(Arithmetic::Add, &Value::Any, b, table),
        value => value,
    }
}

fn load((width, signed): (Width, bool), base: &Value, offset: u32, program: &Program) -> Value {
    let word = || -> Option<Value> {
        let addresses = base.values()?.iter().map(|base| base.wrapping_add(offset));
        let words: Option<Vec<u32>> = addresses.map(|address| program.constant(address)).collect();
        Value::among(words?)
    };
    // Compilers put jump tables in memory that no store can change.
    let loaded = |table: u32| program.constant(table).map_or(Value::Any, |_| Value::Loaded(table));
    match (width, base) {
        (Width::Word, Value::Among(_)) if base.single().is_some() => word().unwrap_or(Value::Any),
        // An index bound that leads out of constant memory is not the bound of the table.
        (Width::Word, Value::Among(bases)) => word().unwrap_or_else(|| loaded(bases[0].wrapping_add(offset))),
        (Width::Word, Value::Element(table)) => loaded(table.wrapping_add(offset)),
        (Width::Byte, _) if !signed => Value::below(1 << 8),
        (_, base) if base.is_indexed() => Value::Indexed,
        _ => Value::Any,
    }
}

/// The values of `a` if it equals `b`.
fn equal(a: &Value, b: &Value) -> Option<Value> {
    match (a.values(), b.values()) {
        (Some(a), Some(b)) => Value::among(a.iter().copied().filter(|value| b.binary_search(value).is_ok())),
        (None, Some(_)) => Some(b.clone()),
        _ => Some(a.clone()),
    }
}

/// The values of `a` if it does not equal `b`.
fn unlike(a: &Value, b: &Value) -> Option<Value> {
    match (a.values(), b.single()) {
        (Some(values), Some(other)) => Value::among(values.iter().copied().filter(|value| *value != other)),
        _ => Some(a.clone()),
    }
}

/// The values of `a` and `b` if `a` < `b` + `slack`, unsigned.
fn less(a: &Value, b: &Value, slack: u64) -> Option<(Value, Value)> {
    let most = b.values().and_then(<[u32]>::last).map(|last| u64::from(*last) + slack);
    let least = a.values().and_then(<[u32]>::first).map(|first| u64::from(*first));
    let below = match (a.values(), most) {
        (Some(values), Some(most)) => Value::among(values.iter().copied().filter(|value| u64::from(*value) < most))?,
        (None, Some(0)) => return None,
        (None, Some(most)) => match Value::below(most) {
            Value::Any => a.clone(),
            few => few,
        },
        _ => a.clone(),
    };
    let above = match (b.values(), least) {
        (Some(values), Some(least)) => {
            Value::among(values.iter().copied().filter(|value| least < u64::from(*value) + slack))?
        }
        _ => b.clone(),
    };
    Some((below, above))
}
