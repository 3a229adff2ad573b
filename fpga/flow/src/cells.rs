//! Cells of an FPGA after technology mapping.

use std::iter::Sum;
use std::ops::{Add, Mul};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cells {
    pub lut: u64,
    /// Carry cells; in the ECP5, two bits each (CCU2C).
    pub carry: u64,
    /// Chains of carry cells, where they are counted.
    pub chains: u64,
    /// LUT RAMs; in the ECP5, 16 words of 4 bits each (TRELLIS_DPR16X4).
    pub lutram: u64,
    pub ff: u64,
    pub bram: u64,
    pub dsp: u64,
}

impl Cells {
    /// Combines the numbers of each kind.
    fn with(self, other: Self, combine: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            lut: combine(self.lut, other.lut),
            carry: combine(self.carry, other.carry),
            chains: combine(self.chains, other.chains),
            lutram: combine(self.lutram, other.lutram),
            ff: combine(self.ff, other.ff),
            bram: combine(self.bram, other.bram),
            dsp: combine(self.dsp, other.dsp),
        }
    }
}

impl Add for Cells {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.with(other, |own, other| own + other)
    }
}

impl Mul<u64> for Cells {
    type Output = Self;

    fn mul(self, times: u64) -> Self {
        self.with(self, |own, _| own * times)
    }
}

impl Sum for Cells {
    fn sum<I: Iterator<Item = Self>>(cells: I) -> Self {
        cells.fold(Self::default(), Add::add)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleArea {
    pub name: String,
    pub instances: u64,
    /// The cells of one instance, without those of the modules below it.
    pub cells: Cells,
}
