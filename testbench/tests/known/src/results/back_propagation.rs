use super::scatter;

pub const INPUTS: usize = 16;
pub const HIDDEN: usize = 16;
const EPOCHS: usize = 2;
const ONE: i32 = 4096;

/// The range of a sum, as the activation distinguishes them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Range {
    Below,
    Within,
    Above,
}

fn activation(sum: i32) -> (i32, Range) {
    match ONE / 2 + sum / 4 {
        y if y < ONE / 16 => (ONE / 16, Range::Below),
        y if y > ONE - ONE / 16 => (ONE - ONE / 16, Range::Above),
        y => (y, Range::Within),
    }
}

/// The weights at the end, and the range of each hidden unit's sum in each epoch.
pub fn train() -> (Vec<i32>, Vec<Vec<Range>>) {
    let random = |i: usize| (scatter(i as u32) >> 20) as i32;
    let input: Vec<i32> = (0..INPUTS).map(random).collect();
    let edges = INPUTS * HIDDEN;
    let mut weights: Vec<i32> = (0..edges + HIDDEN).map(|edge| random(INPUTS + edge) - ONE / 2).collect();
    let mut ranges = Vec::new();
    for _ in 0..EPOCHS {
        let dot = |left: &[i32], right: &[i32]| left.iter().zip(right).map(|(l, r)| l * r / ONE).sum::<i32>();
        let units: Vec<(i32, Range)> =
            (0..HIDDEN).map(|i| activation(dot(&weights[INPUTS * i..][..INPUTS], &input))).collect();
        let hidden: Vec<i32> = units.iter().map(|unit| unit.0).collect();
        ranges.push(units.into_iter().map(|unit| unit.1).collect());

        let error = ONE / 8 - activation(dot(&weights[edges..], &hidden)).0;
        for (i, unit) in hidden.iter().enumerate() {
            let delta = error * weights[edges + i] / ONE;
            weights[edges + i] += error * unit / ONE;
            for (j, input) in input.iter().enumerate() {
                weights[INPUTS * i + j] += delta * input / ONE;
            }
        }
    }
    (weights, ranges)
}

pub fn results() -> Vec<u32> {
    train().0.into_iter().map(|weight| weight as u32).collect()
}
