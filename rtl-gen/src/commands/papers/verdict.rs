//! The verdict on a claim, computed from the published and the measured value.

use serde::{Deserialize, Serialize};

/// What a claim says of its value.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Test {
    /// A ratio above 1.
    More,
    /// A ratio below 1.
    Less,
    /// The published value.
    Near,
    /// The published value or less.
    AtMost,
    /// The published value or more.
    AtLeast,
}

impl Test {
    /// Returns whether the direction is part of what is claimed, and not only a size.
    pub fn has_direction(self) -> bool {
        matches!(self, Self::More | Self::Less)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    Shown,
    /// The direction is that of the claim, and the size is not.
    RefutedInSize,
    Refuted,
    NotDecidable,
}

impl Verdict {
    pub fn is_refuted(self) -> bool {
        matches!(self, Self::Refuted | Self::RefutedInSize)
    }

    /// The words of the report.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shown => "shown",
            Self::RefutedInSize => "refuted: same direction, other size",
            Self::Refuted => "refuted",
            Self::NotDecidable => "not decidable here",
        }
    }
}

/// Returns the verdict on `ours`. Without a published value, or without a tolerance for it, only the direction of a ratio
/// is compared.
pub fn of(test: Test, published: Option<f64>, tolerance: Option<f64>, ours: Option<f64>) -> Verdict {
    let Some(ours) = ours.filter(|ours| ours.is_finite()) else { return Verdict::NotDecidable };
    let within = tolerance.unwrap_or(0.0) + 1e-9;
    let is_near = published.is_some_and(|published| (ours - published).abs() <= within);
    let sized = published.is_some() && tolerance.is_some();
    let (direction, size) = match test {
        Test::More => (ours > 1.0, !sized || is_near),
        Test::Less => (ours < 1.0, !sized || is_near),
        Test::Near => (is_near, true),
        Test::AtMost => (published.is_some_and(|published| ours <= published + within), true),
        Test::AtLeast => (published.is_some_and(|published| ours >= published - within), true),
    };
    match (direction, size) {
        (true, true) => Verdict::Shown,
        (true, false) => Verdict::RefutedInSize,
        (false, _) => Verdict::Refuted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_direction_without_a_size_is_shown_by_its_side_of_one() {
        let verdict = |test, ours| of(test, None, None, Some(ours));
        assert_eq!(verdict(Test::More, 1.001), Verdict::Shown);
        assert_eq!(verdict(Test::More, 1.0), Verdict::Refuted, "no effect is no gain");
        assert_eq!(verdict(Test::Less, 0.9), Verdict::Shown);
        assert_eq!(verdict(Test::Less, 1.2), Verdict::Refuted);
    }

    #[test]
    fn a_size_counts_within_its_tolerance_only() {
        let verdict = |ours| of(Test::More, Some(1.149), Some(0.075), Some(ours));
        let expected = [
            (1.149, Verdict::Shown),
            (1.0741, Verdict::Shown),
            (1.0739, Verdict::RefutedInSize),
            (1.224, Verdict::Shown),
            (1.225, Verdict::RefutedInSize),
            (0.99, Verdict::Refuted),
        ];
        for (ours, expected) in expected {
            assert_eq!(verdict(ours), expected, "{ours}");
        }
    }

    #[test]
    fn bounds_have_one_side() {
        assert_eq!(of(Test::AtMost, Some(6.0), None, Some(6.0)), Verdict::Shown);
        assert_eq!(of(Test::AtMost, Some(6.0), None, Some(2.0)), Verdict::Shown);
        assert_eq!(of(Test::AtMost, Some(6.0), None, Some(7.0)), Verdict::Refuted);
        assert_eq!(of(Test::AtLeast, Some(0.3), Some(0.05), Some(0.26)), Verdict::Shown);
        assert_eq!(of(Test::AtLeast, Some(0.3), Some(0.05), Some(0.2)), Verdict::Refuted);
        assert_eq!(of(Test::Near, Some(2.0), Some(0.1), Some(1.85)), Verdict::Refuted);
        assert_eq!(of(Test::Near, Some(2.0), None, Some(2.0)), Verdict::Shown, "an exact value");
    }

    #[test]
    fn nothing_measured_decides_nothing() {
        for ours in [None, Some(f64::NAN), Some(f64::INFINITY)] {
            assert_eq!(of(Test::More, None, None, ours), Verdict::NotDecidable);
        }
    }
}
