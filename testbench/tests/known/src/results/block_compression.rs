use super::scatter;

pub const BLOCKS: u32 = 64;

pub fn pixels(block: u32) -> Vec<i32> {
    let pixel = |i: u32| {
        let noise = scatter(16 * block + i) >> 16 & 31;
        (20 + 2 * block + (block % 8) * (i % 4) + (block / 8) * (i / 4) + noise) as i32
    };
    (0..16).map(pixel).collect()
}

/// The four values of a compressed pixel, the darkest first.
pub fn palette(pixels: &[i32]) -> [i32; 4] {
    let darkest = *pixels.iter().min().expect("a pixel");
    let step = (pixels.iter().max().expect("a pixel") - darkest) / 3;
    [0, 1, 2, 3].map(|index| darkest + index * step)
}

fn compress(block: u32) -> [u32; 2] {
    let pixels = pixels(block);
    let palette = palette(&pixels);
    let nearest = |pixel: &i32| (0..4).min_by_key(|&index| (pixel - palette[index]).abs()).expect("four of them");
    let indices = pixels.iter().rev().fold(0, |indices, pixel| indices << 2 | nearest(pixel) as u32);
    let brightest = pixels.iter().max().expect("a pixel");
    [(brightest << 8 | palette[0]) as u32, indices]
}

/// The end points of all blocks; then the indices of all.
pub fn results() -> Vec<u32> {
    let blocks: Vec<[u32; 2]> = (0..BLOCKS).map(compress).collect();
    [0, 1].into_iter().flat_map(|word| blocks.iter().map(move |block| block[word])).collect()
}
