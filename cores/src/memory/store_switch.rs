//! The store switch: brings the bytes of all lanes to their places in the line.
//!
//! Each lane has a position in the line, the bytes that it writes there, and its data, copied to all offsets. Each byte
//! of the line comes from the highest lane that writes it, as if the lanes stored one after the other.
//!
//! The [`Writers`] are decided one cycle before the line is formed, because the words come from block RAM late in a
//! cycle.

use rtl::{Builder, Expr, join, lowest_one, select_one_hot, zeros};

use crate::shape::Shape;
use crate::signals::Request;

/// For each byte of a word, at each position of the line.
pub struct Writers {
    /// The written bytes of the line.
    pub mask: Expr,
    /// The lane that writes; the highest lane is bit 0.
    lanes: [Expr; 4],
}

impl Writers {
    /// Combinational. The wires begin with `name`.
    pub fn of(m: &Builder, shape: &Shape, request: &Request, name: &str) -> Self {
        let (threads, lane_bits) = (shape.threads, shape.lane_bits());
        let each = |name: String, value: &dyn Fn(usize) -> Expr| m.wire_each(shape.lanes(), &name, value);
        let wanting = [0, 1, 2, 3].map(|byte| {
            each(format!("{name}_writers_{byte}"), &|position| {
                let writes = |lane: usize| {
                    request.position.lane(lane, lane_bits).is_part(position) & request.bytes.bit(4 * lane + byte)
                };
                join((0..threads).rev().map(writes))
            })
        });
        let lanes = [0, 1, 2, 3].map(|byte| {
            each(format!("{name}_writer_{byte}"), &|position| {
                let writers = wanting[byte].lane(position, threads);
                m.fault("the_lowest_lane_wins_a_byte", &lowest_bit(&writers), &highest_bit(&writers))
            })
        });
        let written = |position: usize| join(wanting.each_ref().map(|lanes| lanes.lane(position, threads).any()));
        Self { mask: each(format!("{name}_bytes"), &written), lanes }
    }

    /// The same in registers, which take their values where `moves` holds.
    pub fn hold(&self, m: &Builder, name: &str, moves: &Expr) -> Self {
        let lane = |byte: usize| m.hold(&format!("{name}_lane_{byte}"), &self.lanes[byte], moves);
        Self { mask: m.hold(&format!("{name}_mask"), &self.mask, moves), lanes: [0, 1, 2, 3].map(lane) }
    }

    /// The line of the lanes' `words`, on a wire with this name.
    pub fn line(&self, m: &Builder, shape: &Shape, words: &Expr, name: &str) -> Expr {
        let threads = shape.threads;
        let byte = |position: usize, byte: usize| {
            let data = (0..threads).rev().map(|lane| words.lane(4 * lane + byte, 8));
            select_one_hot(&self.lanes[byte].lane(position, threads), data)
        };
        m.wire_each(shape.lanes(), name, |position| join([0, 1, 2, 3].map(|number| byte(position, number))))
    }
}

/// The lowest set bit. Gates are smaller, but simulators are lost in those of many lanes.
fn lowest_bit(bits: &Expr) -> Expr {
    if bits.width() > 16 { bits & (zeros(bits.width()) - bits) } else { lowest_one(bits) }
}

/// The highest set bit, for the planted fault.
fn highest_bit(bits: &Expr) -> Expr {
    join((0..bits.width()).map(|i| bits.bit(i) & bits.from(i + 1).none()))
}
