use super::scatter;

pub const QUERIES: u32 = 128;
const TEXT: u32 = 64;
const LETTERS: usize = 8;
const LONGEST: usize = 4;

fn letter_of_text(at: u32) -> u32 {
    scatter(at % TEXT) >> 8 & 3
}

fn letter_of_query(query: u32, at: u32) -> u32 {
    let random = scatter(TEXT + 8 * query + at) >> 8;
    if random.is_multiple_of(4) { random / 4 % 4 } else { letter_of_text(scatter(query).wrapping_add(at)) }
}

/// For each letter of a query, how many letters from there on occur together in the text: a search without a tree.
pub fn lengths(query: u32) -> Vec<usize> {
    let word: Vec<u32> = (0..LETTERS as u32).map(|at| letter_of_query(query, at)).collect();
    let occurs = |piece: &[u32]| {
        (0..TEXT).any(|begin| piece.iter().zip(begin..).all(|(letter, at)| *letter == letter_of_text(at)))
    };
    let longest = |begin: usize| {
        (1..=LONGEST.min(LETTERS - begin)).rev().find(|length| occurs(&word[begin..begin + length])).unwrap_or(0)
    };
    (0..LETTERS).map(longest).collect()
}

/// The lengths, four bits each.
pub fn results() -> Vec<u32> {
    (0..QUERIES).map(|query| lengths(query).iter().fold(0, |word, length| word << 4 | *length as u32)).collect()
}
