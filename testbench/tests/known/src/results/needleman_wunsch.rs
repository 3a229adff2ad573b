use super::{fold, scatter};

pub const PAIRS: usize = 8;
pub const LETTERS: usize = 8;

pub fn words(pair: usize) -> [Vec<u32>; 2] {
    let letter = |at: usize| scatter(((LETTERS + 1) * pair + at) as u32) >> 8 & 3;
    let changed = |at: usize| letter(at + usize::from(at >= 2 + pair / 2)) ^ u32::from(at % 5 == 4);
    [(0..LETTERS).map(letter).collect(), (0..LETTERS).map(changed).collect()]
}

/// The best score of two prefixes, by their lengths.
pub fn scores(pair: usize) -> Vec<Vec<i32>> {
    let [first, second] = words(pair);
    let gaps = |letters: usize| -2 * letters as i32;
    let mut scores = vec![(0..=LETTERS).map(gaps).collect::<Vec<i32>>()];
    for (row, letter) in first.iter().enumerate() {
        let mut next = vec![gaps(row + 1)];
        for (column, other) in second.iter().enumerate() {
            let pairing = if letter == other { 3 } else { -1 };
            let ways = [scores[row][column] + pairing, scores[row][column + 1] - 2, next[column] - 2];
            next.extend(ways.iter().max());
        }
        scores.push(next);
    }
    scores
}

/// The scores of each column of each pair, folded.
pub fn results() -> Vec<u32> {
    let column = |scores: &[Vec<i32>], column: usize| {
        scores[1..].iter().fold(0, |digest, row| fold(digest, row[column + 1] as u32))
    };
    (0..PAIRS).map(scores).flat_map(|scores| (0..LETTERS).map(move |i| column(&scores, i))).collect()
}
