//! The rules of the bus for every master, and the further claims of this one.

use std::collections::VecDeque;
use std::ops::Range;

use weft_config::Window;

use super::{Address, Answers, Master, WriteBeat};
use crate::memory::{Access, Offer, Violation};

/// A burst must stay within this many bytes.
const PAGE: u32 = 4096;

/// Properties of every request of the master.
#[derive(Clone, Debug)]
pub struct Claims {
    /// Bytes of a line: each request is for one, or for the beat that holds it.
    pub line_bytes: u32,
    pub beat_bytes: u32,
    /// First address of memory, and its bytes.
    pub ram_base: u32,
    pub ram_bytes: u32,
    /// Devices: each request for one is an access of a lane.
    pub windows: Vec<Window>,
    /// ID and line of the refills of an instruction cache.
    pub refills: Option<(u32, u32)>,
    /// What refills read beside RAM: the reconvergence table, in whole beats.
    pub table: Range<u32>,
}

/// The rules, checked once per cycle.
///
/// Rules of AXI: an offered transfer is stable until it is accepted; nothing is offered in reset; a burst stays in
/// its page; WLAST comes with the last beat.
/// Rules of the adaptor: each request is for one line of memory; reads in flight have distinct IDs; writes have ID 0;
/// no read and write of one line are unanswered at the same time, where a line is no part of a beat: then the address
/// does not tell the line; an access to a window is alone but for refills.
#[derive(Clone, Debug)]
pub struct Rules {
    claims: Claims,
    aw: Offer<Address>,
    w: Offer<WriteBeat>,
    ar: Offer<Address>,
    /// (ID, line) of the offered reads without a response.
    reads: Vec<(u32, u32)>,
    /// Offered refills without a response.
    refills: u32,
    /// The lines of the offered writes without a response, in order.
    writes: VecDeque<u32>,
    /// Accepted beats of the current burst.
    beats: u32,
    /// The access to a window that has no response.
    access: Option<Access>,
}

impl Rules {
    pub fn new(claims: Claims) -> Self {
        let (aw, w, ar) = Default::default();
        Self { claims, aw, w, ar, reads: Vec::new(), refills: 0, writes: VecDeque::new(), beats: 0, access: None }
    }

    pub fn reset(&self, master: &Master) -> Result<(), Violation> {
        for (signal, offered) in [
            ("m_axi_awvalid", master.aw.is_some()),
            ("m_axi_wvalid", master.w.is_some()),
            ("m_axi_arvalid", master.ar.is_some()),
        ] {
            expect(signal, "0 in reset", u32::from(!offered), 1, || "1".into())?;
        }
        Ok(())
    }

    pub fn is_idle(&self) -> bool {
        self.reads.is_empty() && self.writes.is_empty()
    }

    pub fn is_refilling(&self) -> bool {
        self.refills > 0
    }

    /// Whether the address of a request tells its line.
    fn is_line(&self) -> bool {
        self.claims.line_bytes >= self.claims.beat_bytes
    }

    fn is_refill(&self, id: u32) -> bool {
        self.claims.refills.is_some_and(|(refill, _)| refill == id)
    }

    /// Checks a cycle. Returns the access to a window that begins in it.
    pub fn check(&mut self, master: &Master, answers: &Answers) -> Result<Option<Access>, Violation> {
        let (new_read, new_write) = (!self.ar.waits(), !self.aw.waits());
        let before = self.access;
        self.aw.check("m_axi_aw", master.aw.as_ref(), answers.aw_ready)?;
        self.ar.check("m_axi_ar", master.ar.as_ref(), answers.ar_ready)?;
        self.w.check("m_axi_w", master.w.as_ref(), answers.w_ready)?;
        if let Some(read) = master.ar.filter(|_| new_read) {
            let signals = ["m_axi_arlen", "m_axi_arsize", "m_axi_arburst", "m_axi_ar", "m_axi_araddr"];
            self.address(&read, signals)?;
            if self.is_refill(read.id) {
                self.refills += 1;
            } else {
                self.begin(&read, "m_axi_araddr", false)?;
                let used = self.reads.iter().any(|(id, _)| *id == read.id);
                expect("m_axi_arid", "an ID that is not in flight", u32::from(!used), 1, || read.id.to_string())?;
                let written = self.is_line() && self.writes.contains(&read.address);
                let wanted = "a line without an unanswered write";
                expect("m_axi_araddr", wanted, u32::from(!written), 1, || format!("{:#010x}", read.address))?;
                self.reads.push((read.id, read.address));
            }
        }
        if let Some(write) = master.aw.filter(|_| new_write) {
            self.address(&write, ["m_axi_awlen", "m_axi_awsize", "m_axi_awburst", "m_axi_aw", "m_axi_awaddr"])?;
            self.begin(&write, "m_axi_awaddr", true)?;
            expect("m_axi_awid", "0", write.id, 0, || write.id.to_string())?;
            let read = self.is_line() && self.reads.iter().any(|(_, line)| *line == write.address);
            let wanted = "a line without an unanswered read";
            expect("m_axi_awaddr", wanted, u32::from(!read), 1, || format!("{:#010x}", write.address))?;
            self.writes.push_back(write.address);
        }
        if let Some(beat) = &master.w {
            let last = self.access.is_some() || (self.beats + 1) * self.claims.beat_bytes >= self.claims.line_bytes;
            if let Some(Access { address, bytes, .. }) = self.access {
                let strobes = ((1 << bytes) - 1) << (address % self.claims.beat_bytes);
                let is_own = u32::from(beat.strobes == strobes);
                expect("m_axi_wstrb", &format!("{strobes:#x}"), is_own, 1, || format!("{:#x}", beat.strobes))?;
            }
            let wanted = if last { "1 with the last beat" } else { "0 before the last beat" };
            expect("m_axi_wlast", wanted, beat.last.into(), last.into(), || u32::from(beat.last).to_string())?;
            if answers.w_ready {
                self.beats = if last { 0 } else { self.beats + 1 };
            }
        }
        let begun = self.access.filter(|_| before.is_none());
        self.answered(master, answers);
        Ok(begun)
    }

    fn is_in_window(&self, address: u32) -> bool {
        self.claims.windows.iter().any(|window| window.contains(address))
    }

    /// A read or write begins: nothing else may be in flight if it, or what is in flight, is for a window.
    fn begin(&mut self, request: &Address, signal: &'static str, writes: bool) -> Result<(), Violation> {
        let is_in_window = self.is_in_window(request.address);
        let is_alone = self.is_idle() || (self.access.is_none() && !is_in_window);
        let wanted = "an access to a window alone";
        expect(signal, wanted, u32::from(is_alone), 1, || format!("{:#010x}", request.address))?;
        let access = Access { address: request.address, bytes: 1 << request.size, writes };
        self.access = Some(access).filter(|_| is_in_window);
        Ok(())
    }

    /// The address of an access to a window: one beat of one to four bytes, to a device.
    fn address_of_access(
        &self,
        request: &Address,
        [len, size, burst, attributes, addr]: [&'static str; 5],
    ) -> Result<(), Violation> {
        let Address { address, length, size: beat, burst: kind, lock, cache, prot, .. } = *request;
        let shown = || format!("{address:#010x}");
        expect(len, "0 for a window", length, 0, || length.to_string())?;
        expect(size, "0 to 2 for a window", u32::from(beat <= 2), 1, || beat.to_string())?;
        expect(burst, "1, INCR", kind, 1, || kind.to_string())?;
        let is_plain = u32::from((lock, cache, prot) == (0, 0, 0));
        let others = || format!("lock {lock}, cache {cache:#06b}, prot {prot:#05b}");
        expect(attributes, "lock 0, cache 0, prot 0 for a window", is_plain, 1, others)?;
        expect(addr, "a multiple of its size", address % (1 << beat), 0, shown)?;
        let last = address + (1 << beat) - 1;
        expect(addr, "an access in a window", u32::from(self.is_in_window(last)), 1, shown)
    }

    fn address(
        &self,
        request: &Address,
        [len, size, burst, attributes, addr]: [&'static str; 5],
    ) -> Result<(), Violation> {
        let signals = [len, size, burst, attributes, addr];
        let Claims { line_bytes, beat_bytes, ram_base, ram_bytes, refills, ref table, .. } = self.claims;
        if self.is_in_window(request.address) && !self.is_refill(request.id) {
            return self.address_of_access(request, signals);
        }
        let of_refill = refills.filter(|(id, _)| *id == request.id).map(|(_, line)| line);
        let line_bytes = of_refill.unwrap_or(line_bytes).max(beat_bytes);
        let Address { address, length, size: beat, burst: kind, lock, cache, prot, .. } = *request;
        let shown = || format!("{address:#010x}");
        let bytes = (length + 1) << beat;
        expect(addr, "a burst within 4 KiB", address / PAGE, address.saturating_add(bytes - 1) / PAGE, shown)?;
        expect(size, &format!("log2 of {beat_bytes}"), beat, beat_bytes.ilog2(), || beat.to_string())?;
        let beats = line_bytes / beat_bytes;
        expect(len, &format!("{}", beats - 1), length, beats - 1, || length.to_string())?;
        expect(burst, "1, INCR", kind, 1, || kind.to_string())?;
        let others = || format!("lock {lock}, cache {cache:#06b}, prot {prot:#05b}");
        let wanted = if of_refill.is_some() { 0b100 } else { 0 };
        let normal = u32::from((lock, cache, prot) == (0, 0b0010, wanted));
        expect(attributes, &format!("lock 0, cache 0b0010, prot {wanted:#05b}"), normal, 1, others)?;
        expect(addr, &format!("a multiple of {line_bytes}"), address % line_bytes, 0, shown)?;
        let in_ram = address.checked_sub(ram_base).is_some_and(|offset| offset < ram_bytes);
        let in_table = of_refill.is_some() && table.contains(&address);
        expect(addr, "a line of RAM", u32::from(in_ram || in_table), 1, shown)
    }

    fn answered(&mut self, master: &Master, answers: &Answers) {
        if let Some(beat) = answers.r.as_ref().filter(|beat| master.r_ready && beat.last) {
            self.refills -= u32::from(self.is_refill(beat.id));
            self.reads.retain(|(id, _)| *id != beat.id);
        }
        if answers.b.is_some() && master.b_ready {
            self.writes.pop_front();
        }
        self.access = self.access.filter(|_| !self.is_idle());
    }
}

fn expect(
    signal: &'static str,
    expected: &str,
    found: u32,
    wanted: u32,
    actual: impl Fn() -> String,
) -> Result<(), Violation> {
    if found == wanted { Ok(()) } else { Err(Violation::new(signal, expected, actual())) }
}
