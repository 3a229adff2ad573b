use super::super::{fold, scatter};

const WIDTH: i32 = 16;
const CELLS: i32 = 128;
const STEPS: usize = 2;

/// Rest, then pairs of opposite directions.
const DIRECTIONS: [(i32, i32); 9] = [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (-1, 1), (1, -1)];
const WEIGHTS: [i32; 9] = [1820, 455, 455, 455, 455, 114, 114, 114, 114];

/// The populations of a cell, by direction.
type Cell = [i32; 9];

fn is_obstacle(cell: i32) -> bool {
    let y = cell / WIDTH;
    y == 0 || y == 7 || (scatter(cell as u32) >> 20).is_multiple_of(8)
}

fn opposite(direction: usize) -> usize {
    let (x, y) = DIRECTIONS[direction];
    DIRECTIONS.iter().position(|other| *other == (-x, -y)).expect("directions come in pairs")
}

fn first(cell: i32) -> Cell {
    let noise = ((7 * (cell % WIDTH)) ^ (5 * (cell / WIDTH))) % 16 * 32;
    WEIGHTS.map(|weight| 16 * weight + noise)
}

/// The populations that leave a cell.
fn collide(cell: i32, populations: &Cell) -> Cell {
    if is_obstacle(cell) {
        return std::array::from_fn(|direction| populations[opposite(direction)]);
    }
    let density: i32 = populations.iter().sum();
    let momentum = |of: fn((i32, i32)) -> i32| -> i32 {
        populations.iter().zip(DIRECTIONS).map(|(population, direction)| population * of(direction)).sum()
    };
    let velocity = |of| momentum(of) * 4096 / density;
    let (x, y) = if cell % WIDTH == 0 { (4096 / 20, 4096 / 50) } else { (velocity(|d| d.0), velocity(|d| d.1)) };
    std::array::from_fn(|direction| {
        let (dx, dy) = DIRECTIONS[direction];
        let speed = dx * x + dy * y;
        let share = 4096 - 3 * (x * x + y * y) / 4096 / 2 + (speed * (24576 + 9 * speed)).div_euclid(8192);
        let equilibrium = density * share / 4096 * WEIGHTS[direction] / 4096;
        populations[direction] + ((equilibrium - populations[direction]) * 29).div_euclid(16)
    })
}

/// Each cell gathers from its neighbours. The kernel scatters.
fn step<T: Copy>(leaving: &[[T; 9]]) -> Vec<[T; 9]> {
    let gather = |cell: i32| {
        std::array::from_fn(|direction| {
            let (dx, dy) = DIRECTIONS[direction];
            leaving[(cell - WIDTH * dy - dx).rem_euclid(CELLS) as usize][direction]
        })
    };
    (0..CELLS).map(gather).collect()
}

fn flow() -> Vec<Cell> {
    let mut cells: Vec<Cell> = (0..CELLS).map(first).collect();
    for _ in 0..STEPS {
        cells = step(&(0..CELLS).zip(&cells).map(|(cell, populations)| collide(cell, populations)).collect::<Vec<_>>());
    }
    cells
}

pub fn results() -> Vec<u32> {
    flow().iter().map(|cell| cell.iter().fold(0, |digest, population| fold(digest, *population as u32))).collect()
}

/// The same steps in floating point, with the weights 4/9, 1/9 and 1/36.
#[test]
fn fixed_point_is_near_floating_point() {
    let collide = |(cell, populations): (i32, &[f64; 9])| -> [f64; 9] {
        if is_obstacle(cell) {
            return std::array::from_fn(|direction| populations[opposite(direction)]);
        }
        let density: f64 = populations.iter().sum();
        let pairs = || populations.iter().zip(DIRECTIONS);
        let x = pairs().map(|(population, d)| population * f64::from(d.0)).sum::<f64>() / density;
        let y = pairs().map(|(population, d)| population * f64::from(d.1)).sum::<f64>() / density;
        let (x, y) = if cell % WIDTH == 0 { (0.05, 0.02) } else { (x, y) };
        std::array::from_fn(|direction| {
            let (dx, dy) = DIRECTIONS[direction];
            let weight = [4.0 / 9.0, 1.0 / 9.0, 1.0 / 36.0][(dx * dx + dy * dy) as usize];
            let speed = f64::from(dx) * x + f64::from(dy) * y;
            let equilibrium = weight * density * (1.0 + 3.0 * speed + 4.5 * speed * speed - 1.5 * (x * x + y * y));
            populations[direction] + (equilibrium - populations[direction]) * 29.0 / 16.0
        })
    };
    let mut cells: Vec<[f64; 9]> = (0..CELLS).map(|cell| first(cell).map(|own| f64::from(own) / 65536.0)).collect();
    for _ in 0..STEPS {
        cells = step(&(0..CELLS).zip(&cells).map(collide).collect::<Vec<_>>());
    }
    let pairs = flow().into_iter().flatten().zip(cells.into_iter().flatten());
    let worst = pairs.map(|(own, exact)| (f64::from(own) / 65536.0 - exact).abs()).fold(0.0, f64::max);
    assert!(worst < 0.001, "{worst}");
}
