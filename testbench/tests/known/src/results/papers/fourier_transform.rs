use std::f64::consts::TAU;

use super::super::scatter;

const POINTS: usize = 256;

type Complex = (i32, i32);

fn point(i: usize) -> Complex {
    let part = |at: usize| (scatter(at as u32) >> 17) as i32 - 16384;
    (part(i), part(POINTS + i))
}

/// A root of one in units of 1/16384.
fn root(part: f64) -> Complex {
    let angle = -TAU * part;
    ((16384.0 * angle.cos()).round() as i32, (16384.0 * angle.sin()).round() as i32)
}

/// The transform from those of the points with even and with odd index, by recursion. The kernel goes by stages, in
/// place.
fn transform(points: &[Complex]) -> Vec<Complex> {
    if points.len() == 1 {
        return points.to_vec();
    }
    let half = |odd: usize| transform(&points.iter().copied().skip(odd).step_by(2).collect::<Vec<_>>());
    let (even, odd) = (half(0), half(1));
    let turned = odd.iter().enumerate().map(|(i, (x, y))| {
        let (cos, sin) = root(i as f64 / points.len() as f64);
        ((x * cos - y * sin) >> 14, (x * sin + y * cos) >> 14)
    });
    let pairs: Vec<(Complex, Complex)> = even.into_iter().zip(turned).collect();
    let sums = pairs.iter().map(|(a, b)| ((a.0 + b.0) >> 1, (a.1 + b.1) >> 1));
    sums.chain(pairs.iter().map(|(a, b)| ((a.0 - b.0) >> 1, (a.1 - b.1) >> 1))).collect()
}

fn spectrum() -> Vec<Complex> {
    transform(&(0..POINTS).map(point).collect::<Vec<_>>())
}

/// Real parts, then imaginary parts.
pub fn results() -> Vec<u32> {
    let (real, imaginary): (Vec<u32>, Vec<u32>) = spectrum().iter().map(|(x, y)| (*x as u32, *y as u32)).unzip();
    [real, imaginary].concat()
}

/// Each stage rounds once before and once after it halves.
#[test]
fn fixed_point_is_near_the_sum_that_defines_the_transform() {
    for (k, own) in spectrum().into_iter().enumerate() {
        let exact = (0..POINTS).fold((0.0, 0.0), |sum: (f64, f64), n| {
            let (sin, cos) = (-TAU * (n * k % POINTS) as f64 / POINTS as f64).sin_cos();
            let (x, y) = (f64::from(point(n).0), f64::from(point(n).1));
            (sum.0 + (x * cos - y * sin) / POINTS as f64, sum.1 + (x * sin + y * cos) / POINTS as f64)
        });
        let error = (f64::from(own.0) - exact.0).hypot(f64::from(own.1) - exact.1);
        assert!(error < 8.0, "{k}: {own:?} instead of {exact:?}");
    }
}
