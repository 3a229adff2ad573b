pub const PHOTONS: u32 = 96;
const LAYERS: usize = 4;
const STEPS: [i32; 16] = [83, 57, 45, 36, 30, 26, 22, 18, 15, 13, 10, 8, 6, 4, 2, 1];
const ABSORPTION: [u32; LAYERS] = [64, 112, 80, 144];
const REFLECTANCE: [u32; LAYERS + 1] = [128, 40, 72, 24, 56];
const COSINE: [[i32; 16]; 2] = [
    [-14, -10, -6, -3, 1, 2, 4, 6, 8, 9, 11, 12, 13, 14, 15, 16],
    [-4, 6, 10, 12, 13, 14, 15, 15, 15, 15, 16, 16, 16, 16, 16, 16],
];

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Event {
    Scattered,
    Reflected,
    Passed,
}

/// A walk: its events, each with whether the weight was low after it; the absorption by the layers, and the weight
/// that left them.
pub struct Walk {
    pub events: Vec<(Event, bool)>,
    /// Whether the roulette ended it, not a boundary.
    pub ended_inside: bool,
    absorbed: [u32; LAYERS],
    left: u32,
}

fn next(x: u32) -> u32 {
    let x = x ^ x << 13;
    let x = x ^ x >> 17;
    x ^ x << 5
}

pub fn walk(photon: u32) -> Walk {
    let mut random = next(0x9e37_79b1u32.wrapping_mul(photon + 1));
    let (mut layer, mut depth, mut direction) = (0usize, 0, 16);
    let mut walk = Walk { events: Vec::new(), ended_inside: false, absorbed: [0; LAYERS], left: 4096 };
    while layer < LAYERS && walk.left > 0 {
        random = next(random);
        let top = 64 * layer as i32;
        let reached = depth + ((STEPS[random as usize >> 28] * direction) >> 4);
        let event = if (top..=top + 64).contains(&reached) {
            let absorbed = walk.left * ABSORPTION[layer] / 256;
            walk.absorbed[layer] += absorbed;
            walk.left -= absorbed;
            depth = reached;
            direction = direction.signum() * COSINE[layer % 2][random as usize % 16];
            Event::Scattered
        } else {
            let boundary = layer + usize::from(direction > 0);
            depth = 64 * boundary as i32;
            if random % 256 < REFLECTANCE[boundary] {
                direction = -direction;
                Event::Reflected
            } else {
                layer = layer.wrapping_add_signed(direction.signum() as isize);
                Event::Passed
            }
        };
        let little = walk.left < 512;
        if little {
            walk.left = if (random >> 8).is_multiple_of(8) { 8 * walk.left } else { 0 };
        }
        walk.events.push((event, little));
    }
    walk.ended_inside = walk.left == 0;
    walk
}

/// The absorption of each photon by each layer; then the rest of each photon.
pub fn results() -> Vec<u32> {
    let walks: Vec<Walk> = (0..PHOTONS).map(walk).collect();
    let rows = (0..LAYERS).flat_map(|layer| walks.iter().map(move |walk| walk.absorbed[layer]));
    rows.chain(walks.iter().map(|walk| walk.left)).collect()
}
