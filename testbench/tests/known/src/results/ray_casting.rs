use super::scatter;

pub const VIEW: usize = 12;
const ONE: u32 = 0x8000;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Line {
    Column,
    Row,
}

/// A ray: the lines that it crosses, the last of them at `distance` and with wall `hit`, or 0; and the sum of their
/// tints.
pub struct Ray {
    pub lines: Vec<Line>,
    pub hit: u32,
    tint: u32,
    distance: u32,
    slope: i32,
}

pub fn ray(number: u32) -> Ray {
    let slope = 8 * (number as i32 / 4) - 252;
    let (to_column, to_row) = (ONE / 128, ONE / slope.unsigned_abs());
    let (mut column, mut row) = (5 * (number % 4), 3 * (number % 4));
    let (mut columns, mut rows) = (to_column / 2, to_row / 4);
    let mut ray = Ray { lines: Vec::new(), hit: 0, tint: 0, distance: 0, slope };
    while ray.hit == 0 && ray.lines.len() < VIEW {
        let line = if columns < rows { Line::Column } else { Line::Row };
        let (distance, step) = if line == Line::Column { (&mut columns, to_column) } else { (&mut rows, to_row) };
        ray.distance = *distance;
        *distance += step;
        match line {
            Line::Column => column = (column + 1) % 16,
            Line::Row => row = row.wrapping_add_signed(slope.signum()) % 16,
        }
        let random = scatter(2 * (16 * row + column) + u32::from(line == Line::Row)) >> 8;
        ray.hit = if (random / 4).is_multiple_of(6) { 1 + random % 3 } else { 0 };
        ray.tint += random >> 8;
        ray.lines.push(line);
    }
    ray
}

fn colour(ray: &Ray) -> u32 {
    if ray.hit > 0 {
        let light = 64 + (scatter(16 * ray.hit + ray.distance / 16 % 16) >> 16 & 255);
        light * 1024 / (1024 + ray.distance)
    } else {
        let sky = |i: u32| 256 + 11 * i * i;
        let (place, between) = (ray.slope.unsigned_abs() / 16, ray.slope.unsigned_abs() % 16);
        sky(place) + (sky(place + 1) - sky(place)) * between / 16
    }
}

pub fn results() -> Vec<u32> {
    (0..256).map(ray).map(|ray| ray.tint + colour(&ray)).collect()
}
