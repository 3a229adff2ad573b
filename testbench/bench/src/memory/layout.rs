//! The mapping from program addresses to physical addresses.

use weft_config::Config;

pub const RAM_BASE: u32 = 0x8000_0000;

/// The layout of RAM: only interleaved stacks are permuted.
///
/// The stacks are the last bytes of RAM, those of hart 0 first. If interleaved, the stacks of a warp are stored as
/// lines with one word of each lane: the words 0 of all lanes, then their words 1, and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    stacks: u32,
    /// Bytes of all stacks; 0 if they are not interleaved.
    bytes: u32,
    stack_bytes: u32,
    lanes: u32,
}

impl Layout {
    pub fn new(config: &Config) -> Self {
        let memory = &config.memory;
        let bytes = config.warps * config.threads * memory.stack_bytes;
        Self {
            stacks: RAM_BASE + (memory.ram_bytes - bytes),
            bytes: if memory.stack_interleave { bytes } else { 0 },
            stack_bytes: memory.stack_bytes,
            lanes: config.threads,
        }
    }

    /// The physical address of a program's `address`.
    pub fn physical(&self, address: u32) -> u32 {
        let Some(offset) = address.checked_sub(self.stacks).filter(|offset| *offset < self.bytes) else {
            return address;
        };
        let (hart, place) = (offset / self.stack_bytes, offset % self.stack_bytes);
        let (warp, lane) = (hart / self.lanes, hart % self.lanes);
        let (word, byte) = (place / 4, place % 4);
        let line = warp * self.stack_bytes / 4 + word;
        self.stacks + (line * self.lanes + lane) * 4 + byte
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(interleave: bool) -> Layout {
        let mut config = Config { warps: 3, threads: 4, ..Config::default() };
        config.memory.ram_bytes = 0x1_0000;
        config.memory.stack_bytes = 64;
        config.memory.stack_interleave = interleave;
        Layout::new(&config)
    }

    /// Three warps of four lanes: twelve stacks of 64 bytes are the last 0x300 bytes of 64 KiB.
    #[test]
    fn stacks_are_held_as_lines_of_one_word_a_lane() {
        #[rustfmt::skip]
        let table = [
            // Below the stacks; the first word of each lane of warp 0 makes its first line.
            (0x8000_fcfc, 0x8000_fcfc), (0x8000_fd00, 0x8000_fd00), (0x8000_fd40, 0x8000_fd04),
            (0x8000_fd80, 0x8000_fd08), (0x8000_fdc0, 0x8000_fd0c),
            // The second words follow 16 bytes later, not 4.
            (0x8000_fd04, 0x8000_fd10), (0x8000_fd44, 0x8000_fd14),
            // Warp 1 starts at 0xfe00: byte 2 of word 3 of its lane 2.
            (0x8000_fe8e, 0x8000_fe3a),
            (0x8000_ffff, 0x8000_ffff),
            // The first byte of the last stack, and the last of the last but one.
            (0x8000_ffc0, 0x8000_ff0c), (0x8000_ffbf, 0x8000_fffb),
            (0x8001_0000, 0x8001_0000), (0x1000_0000, 0x1000_0000),
        ];
        for (address, physical) in table {
            assert_eq!(layout(true).physical(address), physical, "{address:#x}");
        }
    }

    #[test]
    fn every_byte_has_a_place_of_its_own() {
        let mut places: Vec<u32> = (0..0x1_0000).map(|offset| layout(true).physical(RAM_BASE + offset)).collect();
        places.sort_unstable();
        assert!(places.into_iter().eq(RAM_BASE..RAM_BASE + 0x1_0000));
    }

    #[test]
    fn plain_stacks_stay_in_their_places() {
        assert!((RAM_BASE..RAM_BASE + 0x1_0000).all(|address| layout(false).physical(address) == address));
    }

    #[test]
    fn ram_may_reach_the_end_of_the_address_space() {
        let mut config = Config { warps: 1, threads: 2, ..Config::default() };
        config.memory.ram_bytes = 1 << 31;
        config.memory.stack_bytes = 64;
        let layout = Layout::new(&config);
        assert_eq!(
            [0xffff_ff80, 0xffff_ffc0, 0xffff_ffff].map(|a| layout.physical(a)),
            [0xffff_ff80, 0xffff_ff84, 0xffff_ffff]
        );
    }
}
