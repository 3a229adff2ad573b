use super::{fold, scatter};

pub const COLUMNS: usize = 256;
pub const ROWS: usize = 6;

fn toll(row: usize, column: usize) -> u32 {
    1 + (scatter((COLUMNS * row + column) as u32) >> 16 & 63)
}

/// The best path to each cell, row by row: its cost times 256, plus the column where it begins.
pub fn ways() -> Vec<Vec<u32>> {
    let mut rows = vec![(0..COLUMNS).map(|column| 256 * toll(0, column) + column as u32).collect::<Vec<_>>()];
    for row in 1..ROWS {
        let before = &rows[row - 1];
        let best = |column: usize| before[column.saturating_sub(1)..COLUMNS.min(column + 2)].iter().min();
        let next = (0..COLUMNS).filter_map(|column| Some(best(column)? + 256 * toll(row, column))).collect();
        rows.push(next);
    }
    rows
}

/// The paths to the cells of each column, folded.
pub fn results() -> Vec<u32> {
    let ways = ways();
    (0..COLUMNS).map(|column| ways[1..].iter().fold(0, |digest, row| fold(digest, row[column]))).collect()
}
