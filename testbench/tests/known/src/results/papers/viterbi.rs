use super::super::scatter;

const SEQUENCES: u32 = 64;
const POSITIONS: usize = 5;
const LETTERS: u32 = 4;
/// The score of a letter before or behind the model.
const LOOP: i32 = -9;

#[derive(Clone, Copy)]
enum State {
    Match,
    Insertion,
    Deletion,
}

/// The order of the kernel's table.
#[derive(Clone, Copy)]
enum Transition {
    MatchMatch,
    InsertMatch,
    DeleteMatch,
    BeginMatch,
    MatchDelete,
    DeleteDelete,
    MatchInsert,
    InsertInsert,
    MatchEnd,
}

fn transition(which: Transition, position: usize) -> i32 {
    -((scatter((POSITIONS * which as usize + position) as u32) >> 24 & 31) as i32)
}

/// None where the position cannot emit the letter.
fn emission(letter: u32, position: usize) -> Option<i32> {
    let random = scatter(100 + POSITIONS as u32 * letter + position as u32);
    let suits = letter == position as u32 % LETTERS;
    (random >> 16 & 7 != 0).then_some((random >> 20 & 31) as i32 - 16 + if suits { 48 } else { 0 })
}

fn letters(sequence: u32) -> Vec<u32> {
    let length = 3 + scatter(sequence) % 5;
    (0..length).map(|at| scatter(200 + 7 * sequence + at) >> 16 & 3).collect()
}

/// The best score from a state to the end of the letters that are left, backwards. The kernel goes forwards.
fn onward(state: State, position: usize, left: &[u32]) -> Option<i32> {
    use Transition::{
        DeleteDelete, DeleteMatch, InsertInsert, InsertMatch, MatchDelete, MatchEnd, MatchInsert, MatchMatch,
    };
    let (to_match, to_deletion, to_insertion) = match state {
        State::Match => (MatchMatch, Some(MatchDelete), Some(MatchInsert)),
        State::Insertion => (InsertMatch, None, Some(InsertInsert)),
        State::Deletion => (DeleteMatch, Some(DeleteDelete), None),
    };
    let end = matches!(state, State::Match).then(|| transition(MatchEnd, position) + LOOP * left.len() as i32);
    let next = position + 1;
    let matched = (next < POSITIONS).then(|| matching(to_match, next, left)).flatten();
    let deleted = to_deletion
        .filter(|_| next < POSITIONS)
        .and_then(|which| Some(transition(which, next) + onward(State::Deletion, next, left)?));
    let inserted = to_insertion
        .filter(|_| !left.is_empty())
        .and_then(|which| Some(transition(which, position) + onward(State::Insertion, position, &left[1..])?));
    [end, matched, deleted, inserted].into_iter().flatten().max()
}

/// The best score from a transition to the match of the next letter on.
fn matching(which: Transition, position: usize, left: &[u32]) -> Option<i32> {
    let (letter, rest) = left.split_first()?;
    Some(transition(which, position) + emission(*letter, position)? + onward(State::Match, position, rest)?)
}

pub fn results() -> Vec<u32> {
    let score = |sequence: u32| {
        let letters = letters(sequence);
        let begins = (0..letters.len()).flat_map(|skipped| (0..POSITIONS).map(move |position| (skipped, position)));
        let scores = begins.filter_map(|(skipped, position)| {
            Some(LOOP * skipped as i32 + matching(Transition::BeginMatch, position, &letters[skipped..])?)
        });
        scores.max().expect("a position emits one of the letters") as u32
    };
    (0..SEQUENCES).map(score).collect()
}
