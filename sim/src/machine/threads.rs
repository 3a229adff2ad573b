use super::lanes::{copy, each};

/// Architectural state of the threads: one row of lanes per warp and register, so that operands of the lanes are
/// adjacent.
pub(super) struct Threads {
    lanes: usize,
    /// `registers[(warp · 32 + register) · lanes + lane]`; the rows of x0 stay zero.
    registers: Vec<u32>,
    /// `exit_codes[warp · lanes + lane]`, once the thread has ended.
    exit_codes: Vec<Option<u32>>,
}

impl Threads {
    pub(super) fn new(warps: u32, lanes: u32) -> Self {
        let (warps, lanes) = (warps as usize, lanes as usize);
        Self { lanes, registers: vec![0; warps * 32 * lanes], exit_codes: vec![None; warps * lanes] }
    }

    fn start(&self, warp: u32, register: u8) -> usize {
        (warp as usize * 32 + usize::from(register)) * self.lanes
    }

    #[inline]
    pub(super) fn row(&self, warp: u32, register: u8) -> &[u32] {
        let start = self.start(warp, register);
        &self.registers[start..start + self.lanes]
    }

    /// Writes a register of the lanes in `mask`, unless it is x0.
    #[inline]
    pub(super) fn write(&mut self, warp: u32, register: u8, mask: u64, values: &[u32]) {
        if register == 0 {
            return;
        }
        let start = self.start(warp, register);
        let row = &mut self.registers[start..start + self.lanes];
        copy(mask, values, row);
    }

    pub(super) fn clear(&mut self, warp: u32, register: u8, mask: u64) {
        let start = self.start(warp, register);
        each(mask).for_each(|lane| self.registers[start + lane] = 0);
    }

    pub(super) fn exit(&mut self, warp: u32, mask: u64, codes: &[u32]) {
        let start = warp as usize * self.lanes;
        each(mask).for_each(|lane| self.exit_codes[start + lane] = Some(codes[lane]));
    }

    pub(super) fn exit_code(&self, warp: u32, lane: u32) -> Option<u32> {
        self.exit_codes[warp as usize * self.lanes + lane as usize]
    }
}
