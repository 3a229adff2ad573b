use weft_config::Memory;

use weft_config::RAM_BASE;

use super::*;

fn stacks(warps: u32, threads: u32, stack_bytes: u32, stack_interleave: bool) -> Stacks {
    let memory = Memory { ram_bytes: 1 << 16, stack_bytes, stack_interleave, ..Memory::default() };
    Stacks::new(&Config { warps, threads, memory, ..Config::default() })
}

/// Two warps of four lanes with stacks of 64 bytes: 0x8000_fe00 to the end of RAM.
#[test]
fn a_word_of_every_lane_makes_a_line() {
    let stacks = stacks(2, 4, 64, true);
    #[rustfmt::skip]
    let cases = [
        // The first word of each lane of warp 0, then the second of lane 0.
        (0x8000_fe00, 0x8000_fe00), (0x8000_fe40, 0x8000_fe04), (0x8000_fe80, 0x8000_fe08),
        (0x8000_fec0, 0x8000_fe0c), (0x8000_fe04, 0x8000_fe10),
        // Byte 3 of word 15 of lane 2 of warp 0, bytes 1 and 3 of word 15 of lane 3 of warp 1.
        (0x8000_febf, 0x8000_fefb), (0x8000_fffd, 0x8000_fffd), (0x8000_ffff, 0x8000_ffff),
        // Word 1 of lane 1 of warp 1.
        (0x8000_ff44, 0x8000_ff14),
        // Outside the stacks.
        (0x8000_fdff, 0x8000_fdff), (0x8001_0000, 0x8001_0000), (0x1000_0000, 0x1000_0000), (0, 0),
    ];
    for (address, physical) in cases {
        assert_eq!(stacks.physical(address), physical, "{address:#x}");
    }
}

#[test]
fn no_two_addresses_share_a_byte_and_warps_stay_apart() {
    for (warps, threads, stack_bytes) in [(1, 1, 64), (3, 2, 64), (2, 8, 128), (3, 64, 64), (1, 4, 4096)] {
        let stacks = stacks(warps, threads, stack_bytes, true);
        let warp_bytes = threads * stack_bytes;
        let mut seen = vec![false; 1 << 16];
        for address in RAM_BASE..=RAM_BASE + 0xffff {
            let physical = stacks.physical(address);
            let place = (physical - RAM_BASE) as usize;
            assert!(!std::mem::replace(&mut seen[place], true), "{physical:#x} holds two bytes");
            let below = RAM_BASE + 0x1_0000 - warps * warp_bytes;
            match address.checked_sub(below) {
                None => assert_eq!(physical, address),
                Some(offset) => assert_eq!((physical - below) / warp_bytes, offset / warp_bytes),
            }
        }
    }
}

#[test]
fn plain_stacks_stay_where_they_are() {
    let stacks = stacks(2, 4, 64, false);
    for address in RAM_BASE..RAM_BASE + 0x1_0000 {
        assert_eq!(stacks.physical(address), address);
    }
}

#[test]
fn stacks_may_end_with_the_address_space() {
    let memory = Memory { ram_bytes: 1 << 31, stack_bytes: 64, ..Memory::default() };
    let stacks = Stacks::new(&Config { warps: 1, threads: 2, memory, ..Config::default() });
    assert_eq!((stacks.end(0), stacks.end(1)), (0xffff_ffc0, 0));
    assert_eq!((stacks.physical(0xffff_ff84), stacks.physical(0xffff_ffc0)), (0xffff_ff88, 0xffff_ff84));
    assert_eq!(stacks.physical(0xffff_ffff), 0xffff_ffff);
}
