//! A memory behind an AXI4 slave. A read takes effect at some time between its address and its response, a write at
//! some time between its last beat and its response. Only writes are performed and answered in order among
//! themselves.
//! The two address channels share the bandwidth. With a random latency reads overtake each other, their beats
//! interleave, and all channels refuse at random.
//! With [`Service::ReadsFirst`] or [`Service::WritesFirst`] the slave serves one request at a time.

use std::collections::VecDeque;

use weft_config::Config;

use super::{Address, Answers, Master, ReadBeat, WriteBeat, refill_id};
use crate::memory::{BackPressure, Ram, Tokens};

/// Which requests the slave accepts, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// All channels, as the bandwidth allows.
    Together,
    /// One request at a time, after the last response was accepted: a read if one is offered.
    ReadsFirst,
    /// One request at a time: a write if one is offered.
    WritesFirst,
}

#[derive(Clone, Debug)]
pub struct Slave {
    service: Service,
    latency: (u32, u32),
    rng: fastrand::Rng,
    back_pressure: [BackPressure; 3],
    tokens: Tokens,
    /// Whether the write address goes first when the bandwidth is for one.
    turn_of_writes: bool,
    /// The ID of refills, whose answers stay in order.
    refill: Option<u32>,
    /// Words of a line and of a beat.
    line_words: usize,
    beat_words: usize,
    /// Words beside RAM, from an address on.
    table: (u32, Vec<u32>),
    /// What the bus carries in the bytes that a narrow beat leaves out.
    junk: u32,
    reads: Vec<Read>,
    addresses: VecDeque<Address>,
    beats: VecDeque<WriteBeat>,
    /// Complete writes, the oldest first.
    writes: VecDeque<Write>,
    answers: Answers,
}

#[derive(Clone, Debug)]
struct Read {
    id: u32,
    address: u32,
    /// Bytes of a beat, which may be fewer than the bus has.
    bytes: usize,
    /// Cycles of its effect and of its response.
    effect: u64,
    due: u64,
    line: Option<Vec<u32>>,
    words: usize,
    sent: usize,
}

#[derive(Clone, Debug)]
struct Write {
    performed: Performed,
    effect: u64,
    due: u64,
    is_done: bool,
}

/// A write as memory performs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Performed {
    /// First byte of the line, or of the burst.
    pub address: u32,
    /// Byte mask (bit 4·i+b = byte b of word i).
    pub mask: [u64; 4],
    pub data: Vec<u32>,
}

impl Performed {
    /// The write of the line of so many words that holds the first written byte, where a burst is for several lines.
    /// Written bytes of other lines stay in the mask, beyond the end of the line.
    pub fn of_line(self, words: usize) -> Self {
        if words >= self.data.len() {
            return self;
        }
        let bytes = 4 * words;
        let written = |byte: usize| self.mask[byte / 64] >> (byte % 64) & 1 != 0;
        let all = 0..4 * self.data.len();
        let first = all.clone().find(|byte| written(*byte)).unwrap_or(0) / bytes * bytes;
        let mask = mask_of(all.filter(|byte| written(*byte)).map(|byte| byte - first));
        let data = self.data[first / 4..][..words].to_vec();
        Self { address: self.address + first as u32, mask, data }
    }
}

/// The mask that selects these bytes.
fn mask_of(bytes: impl IntoIterator<Item = usize>) -> [u64; 4] {
    let mut mask = [0; 4];
    for byte in bytes {
        mask[byte / 64] |= 1 << (byte % 64);
    }
    mask
}

impl Slave {
    /// With random latency a channel refuses in one of this many cycles.
    const REFUSED_ONE_IN: u32 = 4;

    /// The slave of a configuration, deterministic by `memory.seed`.
    pub fn new(config: &Config, service: Service) -> Self {
        let memory = &config.memory;
        let pressure = |salt: u64| BackPressure::new(memory.latency, memory.seed ^ salt, Self::REFUSED_ONE_IN);
        Self {
            service,
            latency: (memory.latency.min, memory.latency.max),
            rng: fastrand::Rng::with_seed(memory.seed),
            back_pressure: [pressure(0x0a41), pressure(0x0a42), pressure(0x0a43)],
            tokens: Tokens::new(memory.bandwidth),
            turn_of_writes: false,
            refill: refill_id(config),
            line_words: config.threads as usize,
            beat_words: config.bus_bits() as usize / 32,
            table: Default::default(),
            junk: 0xdead_0bad,
            reads: Vec::new(),
            addresses: VecDeque::new(),
            beats: VecDeque::new(),
            writes: VecDeque::new(),
            answers: Answers::default(),
        }
    }

    /// Adds words beside RAM that can be read, from an address below RAM on.
    pub fn add_table(&mut self, address: u32, words: Vec<u32>) {
        self.table = (address, words);
    }

    pub fn answers(&self) -> &Answers {
        &self.answers
    }

    /// Returns whether nothing is in flight but refills.
    pub fn is_quiet(&self) -> bool {
        let only_refills = self.reads.iter().all(|read| Some(read.id) == self.refill);
        only_refills && self.addresses.is_empty() && self.beats.is_empty() && self.writes.is_empty()
    }

    pub fn is_idle(&self) -> bool {
        self.reads.is_empty() && self.is_quiet()
    }

    /// Computes the slave's outputs in cycle `now`. `offered` says which of write and read address the master has
    /// just begun to offer.
    pub fn drive(&mut self, now: u64, offered: (bool, bool)) -> &Answers {
        let [aw, w, ar] = [0, 1, 2].map(|channel: usize| self.back_pressure[channel].ready());
        let allowed = self.tokens.refill();
        let both = offered == (true, true);
        let free = self.is_idle();
        let (serves_write, serves_read, serves_data) = match self.service {
            Service::Together => (!both || self.turn_of_writes || !ar, !both || !self.turn_of_writes || !aw, true),
            Service::ReadsFirst => (free && !offered.1, free, !self.addresses.is_empty()),
            Service::WritesFirst => (free, free && !offered.0, !self.addresses.is_empty()),
        };
        self.answers.aw_ready = aw && allowed && serves_write;
        self.answers.ar_ready = ar && allowed && serves_read;
        self.answers.w_ready = w && serves_data;
        if self.answers.b.is_none() {
            let due = self.writes.front().is_some_and(|write| write.is_done && write.due <= now);
            self.answers.b = due.then_some(0);
        }
        if self.answers.r.is_none() {
            self.answers.r = self.next_beat(now);
        }
        &self.answers
    }

    /// A beat of a read that is due: of any read if the latency is random, else of the oldest.
    fn next_beat(&mut self, now: u64) -> Option<ReadBeat> {
        let ready: Vec<usize> = (0..self.reads.len())
            .filter(|read| self.reads[*read].due <= now && self.reads[*read].line.is_some())
            .filter(|read| {
                let id = self.reads[*read].id;
                Some(id) != self.refill || self.reads[..*read].iter().all(|before| before.id != id)
            })
            .collect();
        let random = self.latency.0 != self.latency.1;
        let chosen = if random { self.rng.choice(&ready) } else { ready.first() };
        let read = &self.reads[*chosen?];
        let rest = read.line.as_ref()?.get(read.sent..)?;
        let data = rest[..self.beat_words].to_vec();
        Some(ReadBeat { id: read.id, last: rest.len() == self.beat_words, data })
    }

    /// Samples the master's outputs in cycle `now`, and performs what is due.
    pub fn sample(&mut self, now: u64, master: &Master, ram: &mut Ram) -> Vec<Performed> {
        if let Some(address) = master.ar.filter(|_| self.answers.ar_ready) {
            let (effect, due) = self.times(now);
            let words = (address.length as usize + 1) * self.beat_words;
            let bytes = 1 << address.size;
            self.reads.push(Read {
                id: address.id,
                address: address.address,
                bytes,
                effect,
                due,
                line: None,
                words,
                sent: 0,
            });
            self.tokens.take();
            self.turn_of_writes = true;
        }
        if let Some(address) = master.aw.filter(|_| self.answers.aw_ready) {
            self.addresses.push_back(address);
            self.tokens.take();
            self.turn_of_writes = false;
        }
        if let Some(beat) = master.w.as_ref().filter(|_| self.answers.w_ready) {
            self.beats.push_back(beat.clone());
        }
        if self.answers.b.is_some() && master.b_ready {
            self.writes.pop_front();
            self.answers.b = None;
        }
        if let Some(beat) = self.answers.r.take_if(|_| master.r_ready) {
            if let Some(read) = self.reads.iter_mut().find(|read| read.id == beat.id) {
                read.sent += beat.data.len();
            }
            self.reads.retain(|read| read.sent < read.words);
        }
        self.gather(now);
        if self.rng.bool() {
            self.read(now, ram);
            self.write(now, ram)
        } else {
            let performed = self.write(now, ram);
            self.read(now, ram);
            performed
        }
    }

    /// Cycles of the effect and of the response of a request accepted in cycle `now`.
    fn times(&mut self, now: u64) -> (u64, u64) {
        let latency = self.rng.u32(self.latency.0..=self.latency.1).into();
        (now + self.rng.u64(0..latency), now + latency)
    }

    fn gather(&mut self, now: u64) {
        while let Some(address) = self.addresses.front().copied() {
            let beats = address.length as usize + 1;
            if self.beats.len() < beats {
                return;
            }
            self.addresses.pop_front();
            // A narrow beat is a part of its line, of which the bus has a half or all.
            let beat = address.address & !(4 * self.beat_words as u32 - 1);
            let first = beat & !(4 * self.line_words as u32 - 1);
            let (mut bytes, mut data) = (Vec::new(), vec![0; (beat - first) as usize / 4]);
            for beat in self.beats.drain(..beats) {
                let at = 4 * data.len();
                let written = (0..4 * beat.data.len()).filter(|byte| beat.strobes >> byte & 1 != 0);
                bytes.extend(written.map(|byte| at + byte));
                data.extend(beat.data);
            }
            data.resize(data.len().max(self.line_words), 0);
            let (effect, due) = self.times(now);
            let performed = Performed { address: first, mask: mask_of(bytes), data };
            self.writes.push_back(Write { performed, effect, due, is_done: false });
        }
    }

    fn read(&mut self, now: u64, ram: &Ram) {
        for read in self.reads.iter_mut().filter(|read| read.line.is_none() && read.effect <= now) {
            let mut line = vec![0; read.words];
            if read.bytes == 4 * self.beat_words {
                let (first, table) = &self.table;
                let at = read.address.wrapping_sub(*first) as usize / 4;
                match table.get(at..at + read.words) {
                    Some(entries) => line.copy_from_slice(entries),
                    None => ram.read(read.address, &mut line),
                }
            } else {
                line.fill(self.junk);
                let bits = u32::MAX >> (32 - 8 * read.bytes) << (8 * (read.address % 4));
                let word = &mut line[read.address as usize / 4 % self.beat_words];
                let mut held = [0];
                ram.read(read.address & !3, &mut held);
                *word = *word & !bits | held[0] & bits;
            }
            read.line = Some(line);
        }
    }

    fn write(&mut self, now: u64, ram: &mut Ram) -> Vec<Performed> {
        let mut performed = Vec::new();
        for write in self.writes.iter_mut().filter(|write| !write.is_done) {
            if write.effect > now {
                break;
            }
            write.is_done = true;
            ram.write(write.performed.address, &write.performed.data, write.performed.mask);
            performed.push(write.performed.clone());
        }
        performed
    }
}
