/// Eight steps have work, ten rounds of the generator each.
pub fn results() -> Vec<u32> {
    let round = |x: u32, _| {
        [13, -17, 5].into_iter().fold(x, |x, shift: i32| x ^ if shift > 0 { x << shift } else { x >> -shift })
    };
    (1..=128).map(|cell| (0..80).fold(cell, round)).collect()
}
