//! Accesses to windows (`memory.windows`): the registers of devices.
//!
//! Such a request starts when nothing is in flight, as one beat of the bytes in its mask. It stays in the register
//! until it is answered, so nothing later leaves before. Its address and size go to the bus from there, and its word has
//! its position on the data bus. Of a line of several beats the one that has the word is sent.
//!
//! Refills of the instruction cache go on meanwhile. Storage: a bit, and one for each address channel; with windows the
//! address of an error has 32 bits.

use rtl::{Builder, Expr, Instance, Register, encode, join, lit, reduce, select_one_hot, zeros};

use super::{Bus, Held, InFlight, Request, width};
use crate::shape::Shape;

/// The request in the register, if it is for a window.
pub struct Window {
    /// It is on its way.
    pub begun: Register,
    is_held: Expr,
    /// It goes to the bus. The ordering rule drives this.
    starts: Expr,
    pub address: Expr,
    /// Log2 of its bytes.
    size: Expr,
}

impl Window {
    pub fn declare(m: &Builder, shape: &Shape, request: &Request) -> Option<Self> {
        if !shape.has_windows() {
            return None;
        }
        m.comment("An access to a window: its mask has the bytes of one word.");
        let words = m.wire("word_of_window", &join(request.mask.lanes(4).iter().map(Expr::any)));
        let bytes = m.wire("bytes_of_word", &reduce(&request.mask.lanes(4), &|one, other| one | other));
        let [low, high] = [bytes.slice(0, 2), bytes.slice(2, 2)];
        let first_byte = join([&(!bytes.bit(0) & (bytes.bit(1) | !bytes.bit(2))), &low.none()]);
        let address = join([&first_byte, &encode(&words), &request.line]);
        let size = join([&(low.all() ^ high.all()), &(low.all() & high.all())]);
        Some(Self {
            begun: m.register("window_begun", 1),
            is_held: request.window.clone(),
            starts: m.forward("window_starts", 1),
            address: m.wire("window_address", &address),
            size: m.wire("window_size", &size),
        })
    }

    /// Lets the request leave, and returns whether it goes to the bus: an access to a window at first, any other as it
    /// leaves.
    pub fn order(&self, m: &Builder, held: &Held, in_flight: &InFlight, bus: &Bus, may_start: &Expr) -> Expr {
        m.comment("An access to a window starts when nothing is in flight, and leaves when it is answered.");
        let Self { begun, is_held, .. } = self;
        let waits = is_held & in_flight.instance.net("any");
        let waits = m.fault("window_does_not_wait_for_others", &waits, &(is_held & &**begun));
        let starts = m.wire("starts", &(may_start & !waits));
        let answered = &in_flight.read_answered | &bus.write_answer;
        let ends = m.wire("window_ends", &(&**begun & &answered));
        let ends = m.fault("others_do_not_wait_for_window", &ends, &self.starts);
        m.drive(&self.starts, &(&starts & is_held));
        begun.next(&(&self.starts | (&**begun & !answered))).reset(0);
        m.drive(&held.leaves, &is_held.mux(&ends, &starts));
        starts
    }

    pub fn connect(&self, channels: &Instance) {
        // An AMO may be written back while an access to a window waits.
        channels.input("window", &self.starts).input("window_address", &self.address);
        channels.input("window_size", &self.size);
    }
}

/// The same in the module of the request channels.
pub struct OfWindow {
    /// A read or write for a window starts.
    pub starts: Expr,
    /// Constant while it is on a channel, as its size.
    pub address: Expr,
    size: Expr,
}

impl OfWindow {
    pub fn declare(m: &Builder, shape: &Shape) -> Option<Self> {
        if !shape.has_windows() {
            return None;
        }
        m.port_group("whether the read or write is for a window; its address, and log2 of its bytes");
        let starts = m.input("window", 1);
        Some(Self { starts, address: m.input("window_address", 32), size: m.input("window_size", 2) })
    }

    /// Length, size and memory type (a device, not buffered) of its address channel; no other signal differs.
    pub fn constant(&self, m: &Builder, shape: &Shape, name: &str) -> Option<Expr> {
        match name {
            "len" => (width::beats(shape) > 1).then(|| zeros(8)),
            "size" => Some(m.fault("windows_have_the_size_of_words", &self.size, &lit(2, 2)).extend(3)),
            "cache" => Some(m.fault("windows_are_memory", &zeros(4), &lit(4, 0b0010))),
            _ => None,
        }
    }

    /// The first beat of a write, `line` or its strobes: the one with the word.
    pub fn beat(&self, m: &Builder, shape: &Shape, name: &str, mask: &Expr, line: &Expr) -> Expr {
        let beats = width::beats(shape);
        if beats == 1 {
            return line.clone();
        }
        let starts = m.fault(&format!("windows_send_the_first_{name}"), &self.starts, &zeros(1));
        let has_word = join(mask.lanes(shape.bus_bits / 8).iter().map(Expr::any));
        let parts = line.lanes(line.width() / beats);
        starts.mux(&select_one_hot(&has_word, &parts), &parts[0])
    }
}
