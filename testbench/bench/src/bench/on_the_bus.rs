//! `memory.kind = "axi4"`: the bench is the slave. Its own RAM performs the requests in the pipeline's order. Each
//! response, and each write that reaches the slave's memory, is compared with it.

use std::collections::{HashMap, VecDeque};

use sim::Program;
use weft_config::Config;
use weft_trace::MemoryOp;

use super::JUNK;
use super::events::Events;
use super::fetch_side::FetchSide;
use super::memory_side::{MemorySide, Requests};
use crate::memory::axi4::{Address, Claims, Master, Performed, Rules, Service, Slave, WriteBeat, refill_id};
use crate::memory::{Ram, Violation, byte_bits};
use crate::pins::{BusPorts, BusState, Done, ObservedAnswers, byte_mask};
use verilate::{Model, ModelError, Port};

pub(super) struct OnTheBus {
    requests: Requests,
    fetch: FetchSide,
    answers: ObservedAnswers,
    bus: BusPorts,
    state: Option<BusState>,
    done: Done,
    rules: Rules,
    slave: Slave,
    memory: Ram,
    /// For each tag of an atomic operation, the word of its response to compare. Other responses are compared as a
    /// whole.
    awaited: HashMap<u32, usize>,
    /// By line, the writes that memory must still receive, in order.
    owed: HashMap<u32, VecDeque<Performed>>,
    wrong_in_reset: Option<Violation>,
}

impl OnTheBus {
    pub(super) fn new(model: &Model, config: &Config, service: Service, program: &Program) -> Result<Self, ModelError> {
        let beat_words = config.threads.min(32);
        let claims = Claims {
            line_bytes: 4 * config.threads,
            beat_bytes: 4 * beat_words,
            ram_bytes: config.memory.ram_bytes,
            refills: refill_id(config).map(|id| (id, config.icache.line_bytes)),
        };
        let requests = Requests::new(model, config, program)?;
        Ok(Self {
            memory: requests.ram.clone(),
            requests,
            fetch: FetchSide::new(model, config, program)?,
            answers: ObservedAnswers::of(model, config)?,
            bus: BusPorts::of(model, config)?,
            state: (!config.control.port).then(|| BusState::of(model, config)).transpose()?,
            done: Done::of(model, config)?,
            rules: Rules::new(claims),
            slave: Slave::new(config, service, beat_words as usize),
            awaited: HashMap::new(),
            owed: HashMap::new(),
            wrong_in_reset: None,
        })
    }

    fn master(&self, model: &Model) -> Master {
        let bus = &self.bus;
        let get = |port: Port| model.get(port) as u32;
        let address = |valid: Port, [id, address, length, size, burst, lock, cache, prot]: [Port; 8]| {
            model.bit(valid).then(|| Address {
                id: get(id),
                address: get(address),
                length: get(length),
                size: get(size),
                burst: get(burst),
                lock: get(lock),
                cache: get(cache),
                prot: get(prot),
            })
        };
        let strobes = || {
            let [low, high, ..] = byte_mask(model, bus.wstrb);
            u128::from(high) << 64 | u128::from(low)
        };
        Master {
            aw: address(
                bus.awvalid,
                [bus.awid, bus.awaddr, bus.awlen, bus.awsize, bus.awburst, bus.awlock, bus.awcache, bus.awprot],
            ),
            w: model.bit(bus.wvalid).then(|| WriteBeat {
                data: model.words(bus.wdata).to_vec(),
                strobes: strobes(),
                last: model.bit(bus.wlast),
            }),
            ar: address(
                bus.arvalid,
                [bus.arid, bus.araddr, bus.arlen, bus.arsize, bus.arburst, bus.arlock, bus.arcache, bus.arprot],
            ),
            b_ready: model.bit(bus.bready),
            r_ready: model.bit(bus.rready),
        }
    }

    /// Compares the response to the pipeline in a cycle with the expected one.
    fn check_answer(&mut self, model: &Model) -> Result<bool, Violation> {
        let ObservedAnswers { dmem_rsp_valid, dmem_rsp_tag, dmem_rsp_data, .. } = self.answers;
        if !model.bit(dmem_rsp_valid) {
            return Ok(false);
        }
        let tag = model.get(dmem_rsp_tag) as u32;
        let Some(response) = self.requests.data_port.take(tag) else {
            let expected = "a tag that waits for its answer".into();
            return Err(Violation { signal: "dmem_rsp_tag", expected, actual: tag.to_string() });
        };
        let data = model.words(dmem_rsp_data);
        let awaited = self.awaited.remove(&tag);
        let differs =
            |word: &usize| awaited.is_none_or(|awaited| awaited == *word) && data[*word] != response.data[*word];
        let Some(word) = (0..data.len()).find(differs) else { return Ok(true) };
        let show = |words: &[u32]| format!("{:#010x} in word {word} for tag {tag}", words[word]);
        Err(Violation { signal: "dmem_rsp_data", expected: show(response.data), actual: show(data) })
    }

    /// Compares a write that memory has performed with the next one that is owed to its line.
    fn check_write(&mut self, write: &Performed) -> Result<(), Violation> {
        let show =
            |write: &Performed| format!("{:08x?} under {:x?} at {:#010x}", write.data, write.mask, write.address);
        let owed = self.owed.get_mut(&write.address).and_then(VecDeque::pop_front);
        let Some(owed) = owed else {
            return Err(Violation { signal: "m_axi_w", expected: "no write of this line".into(), actual: show(write) });
        };
        let same = |word: usize| (owed.data[word] ^ write.data[word]) & byte_bits(owed.mask, word) == 0;
        if owed.mask == write.mask && (0..owed.data.len()).all(same) {
            return Ok(());
        }
        Err(Violation { signal: "m_axi_w", expected: show(&owed), actual: show(write) })
    }

    /// Records the response and the write that a request accepted in this cycle must cause.
    fn expect(&mut self, events: &Events) {
        let Some(request) = events.request() else { return };
        let Some(operation) = MemoryOp::of_request(request.code) else { return };
        if operation.is_atomic() {
            self.awaited.insert(request.tag, request.word());
        }
        if self.requests.writes {
            let mut data = vec![0; request.data.len()];
            self.requests.ram.read(request.address, &mut data);
            let write = Performed { address: request.address, mask: request.mask, data };
            self.owed.entry(request.address).or_default().push_back(write);
        }
    }

    /// Checks the outputs for a core that is done, or in error.
    fn check_state(&self, model: &Model) -> Result<(), Violation> {
        let violation =
            |signal, expected: &str, actual: String| Err(Violation { signal, expected: expected.into(), actual });
        if let Some(state) = self.state.filter(|state| model.bit(state.bus_error_valid)) {
            let what = if model.bit(state.bus_error_write) { "write" } else { "read" };
            let code = if model.bit(state.bus_error_decode) { "DECERR" } else { "SLVERR" };
            let address = model.get(state.bus_error_addr);
            return violation("bus_error_valid", "0", format!("1: {code} for a {what} at {address:#010x}"));
        }
        let is_quiet = self.owed.values().all(VecDeque::is_empty)
            && self.rules.is_idle()
            && self.slave.is_quiet()
            && self.requests.data_port.in_flight() == 0;
        if model.bit(self.done.done) && !is_quiet {
            return violation("done", "0 until every request is performed and answered", "1".into());
        }
        Ok(())
    }

    fn check_cycle(&mut self, model: &Model, cycle: u64, events: &mut Events) -> Result<(), Violation> {
        let master = self.master(model);
        self.rules.check(&master, self.slave.answers())?;
        events.response = self.check_answer(model)?;
        self.expect(events);
        for write in self.slave.sample(cycle, &master, &mut self.memory) {
            self.check_write(&write)?;
        }
        self.check_state(model)
    }
}

impl MemorySide for OnTheBus {
    fn reset(&mut self, model: &mut Model) {
        self.fetch.reset(model);
        let BusPorts { awready, wready, bvalid, arready, rvalid, .. } = self.bus;
        for port in [awready, wready, bvalid, arready, rvalid] {
            model.set(port, 0);
        }
    }

    fn in_reset(&mut self, model: &Model) {
        let checked = self.rules.reset(&self.master(model));
        self.wrong_in_reset = self.wrong_in_reset.take().or(checked.err());
    }

    fn drive(&mut self, model: &mut Model, cycle: u64, _: &mut Events) {
        self.fetch.drive(model);
        let BusPorts { awvalid, arvalid, .. } = self.bus;
        let offered = (model.bit(awvalid), model.bit(arvalid));
        let answers = self.slave.drive(cycle, offered);
        let bus = &self.bus;
        for (port, ready) in
            [(bus.awready, answers.aw_ready), (bus.wready, answers.w_ready), (bus.arready, answers.ar_ready)]
        {
            model.set(port, ready.into());
        }
        model.set(bus.bvalid, answers.b.is_some().into());
        model.set(bus.bid, answers.b.unwrap_or(0).into());
        model.set(bus.bresp, 0);
        model.set(bus.rvalid, answers.r.is_some().into());
        model.set(bus.rresp, 0);
        match &answers.r {
            Some(beat) => {
                model.set(bus.rid, beat.id.into());
                model.set(bus.rlast, beat.last.into());
                model.words_mut(bus.rdata).copy_from_slice(&beat.data);
            }
            None => model.words_mut(bus.rdata).fill(JUNK),
        }
    }

    fn sample(&mut self, model: &Model, cycle: u64, events: &mut Events) {
        let fetched = self.fetch.sample(model, &self.requests.ports, &self.memory);
        // The slave has its own bandwidth.
        self.requests.data_port.ready();
        self.requests.accept(model, cycle, model.bit(self.answers.dmem_req_ready), events);
        let checked = self.check_cycle(model, cycle, events);
        events.fetched(fetched);
        if let Some(violation) = self.wrong_in_reset.take().or(checked.err()) {
            events.violation = Some(violation);
        }
    }

    fn is_waiting(&self) -> bool {
        self.requests.data_port.in_flight() > 0 || !self.rules.is_idle() || self.rules.is_refilling()
    }

    fn is_fetching(&self) -> bool {
        self.fetch.is_asked()
    }

    fn requests(&self) -> &Requests {
        &self.requests
    }

    #[cfg(test)]
    fn restart(&mut self) -> bool {
        let performed = self.owed.values().all(VecDeque::is_empty);
        self.owed.clear();
        self.awaited.clear();
        self.fetch.restart();
        let is_idle = !self.fetch.is_in_flight() && self.rules.is_idle() && self.slave.is_idle();
        self.requests.restart() && is_idle && performed
    }

    #[cfg(test)]
    fn load(&mut self, ram: &Ram) {
        self.requests.ram = ram.clone();
        self.memory = ram.clone();
    }

    /// The contents of memory after every write has reached it.
    fn words(&self, _: &Model) -> (Vec<u32>, &'static str) {
        let mut memory = self.memory.clone();
        for write in self.owed.values().flatten() {
            memory.write(write.address, &write.data, write.mask);
        }
        (memory.words().to_vec(), "m_axi_w")
    }
}

#[cfg(test)]
mod tests;
