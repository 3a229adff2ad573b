//! Fault points: named points where a test can break a module on purpose.
//!
//! The description of a module names a point with [`Builder::fault`] and gives the right value and a broken one. An
//! elaboration takes the right value and prints nothing about the point. Inside [`with_fault`] the named point takes the
//! broken value instead, and a useful check then fails. Points belong to the description and not to the printed text,
//! so the text is free to change.

use std::cell::RefCell;
use std::collections::BTreeSet;

use crate::builder::Builder;

/// The fault points of an elaboration on this thread.
#[derive(Default)]
struct State {
    planted: Option<String>,
    met: BTreeSet<String>,
}

thread_local! {
    static STATE: RefCell<Option<State>> = const { RefCell::new(None) };
}

/// Runs `elaborate` with the point `fault`, written `module.point`, broken in every module that has it.
///
/// # Panics
/// If `elaborate` reaches no such point (the message lists those it reached), or inside another such call.
#[track_caller]
pub fn with_fault<R>(fault: &str, elaborate: impl FnOnce() -> R) -> R {
    let (result, met) = run(Some(fault.to_owned()), elaborate);
    let known = || met.iter().map(|point| format!("\n  {point}")).collect::<String>();
    assert!(met.contains(fault), "no fault point `{fault}` was met; there are:{}", known());
    result
}

/// Returns the fault points that `elaborate` reaches, each as `module.point`. None of them is broken.
#[track_caller]
pub fn fault_points<R>(elaborate: impl FnOnce() -> R) -> BTreeSet<String> {
    run(None, elaborate).1
}

/// Whether this thread is inside one of these calls.
pub fn faults_are_watched() -> bool {
    STATE.with_borrow(Option::is_some)
}

#[track_caller]
fn run<R>(planted: Option<String>, elaborate: impl FnOnce() -> R) -> (R, BTreeSet<String>) {
    /// Resets the state also when `elaborate` panics.
    struct Reset;
    impl Drop for Reset {
        fn drop(&mut self) {
            STATE.take();
        }
    }
    let before = STATE.replace(Some(State { planted, met: BTreeSet::new() }));
    let _reset = Reset;
    assert!(before.is_none(), "fault points are watched already");
    let result = elaborate();
    (result, STATE.take().expect("the state of this call").met)
}

impl Builder {
    /// Declares a fault point: returns `value`, or `broken` where [`with_fault`] names this point of this module.
    ///
    /// The values can have any type, for example an expression or the reset value of a register.
    pub fn fault<V: Clone>(&self, point: &str, value: &V, broken: &V) -> V {
        STATE.with_borrow_mut(|state| {
            let Some(state) = state else { return value.clone() };
            let name = format!("{}.{point}", self.0.borrow().name);
            let is_planted = state.planted.as_ref() == Some(&name);
            state.met.insert(name);
            if is_planted { broken.clone() } else { value.clone() }
        })
    }
}
