//! Values as text.

use crate::commands::papers::claims::{Claim, Quantity};

/// Formats a value of this kind: "+14.9 %", "82.7 %", "1.67", "6 rows".
pub fn value(kind: &Quantity, value: f64) -> String {
    match kind {
        Quantity::Change => {
            let text = format!("{:+.1} %", 100.0 * (value - 1.0));
            text.replace('-', "−").replace("+0.0 %", "0.0 %").replace("−0.0 %", "0.0 %")
        }
        Quantity::Percent => format!("{:.1} %", 100.0 * value),
        Quantity::Factor => format!("{value:.2}"),
        Quantity::Count(things) => format!("{} {things}", number(value)),
    }
}

/// Formats a published value with its tolerance.
pub fn published(claim: &Claim) -> String {
    let Some(published) = claim.value else { return "no number".to_owned() };
    let tolerance = claim.tolerance.filter(|tolerance| *tolerance > 0.0).map(|tolerance| match claim.unit {
        Quantity::Change | Quantity::Percent => format!(" (± {})", number(100.0 * tolerance)),
        Quantity::Factor | Quantity::Count(_) => format!(" (± {})", number(tolerance)),
    });
    value(&claim.unit, published) + &tolerance.unwrap_or_default()
}

/// Formats a number with at most three decimals.
fn number(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
