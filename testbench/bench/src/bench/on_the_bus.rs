//! `memory.kind = "axi4"`: the bench is the slave. Its own RAM performs the requests in the pipeline's order. Each
//! response, and each write that reaches the slave's memory, is compared with it.

use std::borrow::Cow;

use cores::control::TABLE_LINE;
use sim::Program;
use weft_config::Config;

use super::JUNK;
use super::events::Events;
use super::expected::Expected;
use super::fetch_side::FetchSide;
use super::memory_side::{MemorySide, Requests};
use crate::memory::axi4::{Address, Claims, Master, Rules, Service, Slave, WriteBeat, refill_id};
use crate::memory::{Ram, Violation};
use crate::pins::{BusPorts, BusState, Done, byte_mask};
use crate::reconvergence::StoredTable;
use verilate::{Model, ModelError, Port};

/// Where the bench stores a reconvergence table: in the second line of a beat that lies below RAM.
pub(super) const TABLE_BASE: u32 = TABLE_BEGIN + TABLE_LINE;
const TABLE_BEGIN: u32 = 0x2000_0000;

pub(super) struct OnTheBus {
    requests: Requests,
    fetch: FetchSide,
    expected: Expected,
    bus: BusPorts,
    state: Option<BusState>,
    done: Done,
    rules: Rules,
    slave: Slave,
    memory: Ram,
    wrong_in_reset: Option<Violation>,
    line_words: usize,
}

impl OnTheBus {
    pub(super) fn new(model: &Model, config: &Config, service: Service, program: &Program) -> Result<Self, ModelError> {
        let mut slave = Slave::new(config, service);
        let mut table = 0..0;
        if let Some(StoredTable { words, .. }) = StoredTable::of(config, program).filter(|_| config.icache.exists()) {
            let mut stored = vec![JUNK; ((TABLE_BASE - TABLE_BEGIN) / 4) as usize];
            stored.extend(words);
            stored.resize(stored.len().next_multiple_of(config.bus_bits() as usize / 32), JUNK);
            table = TABLE_BEGIN..TABLE_BEGIN + 4 * stored.len() as u32;
            slave.add_table(TABLE_BEGIN, stored);
        }
        let claims = Claims {
            line_bytes: 4 * config.threads,
            beat_bytes: config.bus_bits() / 8,
            ram_base: config.memory.base,
            ram_bytes: config.memory.ram_bytes,
            windows: config.memory.windows.clone(),
            refills: refill_id(config).map(|id| (id, config.icache.line_bytes)),
            table,
        };
        let requests = Requests::new(model, config, program)?;
        Ok(Self {
            memory: requests.ram.clone(),
            requests,
            fetch: FetchSide::new(model, config, program)?,
            expected: Expected::new(model, config)?,
            bus: BusPorts::of(model, config)?,
            state: (!config.control.port).then(|| BusState::of(model, config)).transpose()?,
            done: Done::of(model, config)?,
            rules: Rules::new(claims),
            slave,
            wrong_in_reset: None,
            line_words: config.threads as usize,
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

    /// Checks the outputs for a core that is done, or in error.
    fn check_state(&self, model: &Model) -> Result<(), Violation> {
        if let Some(state) = self.state.filter(|state| model.bit(state.bus_error_valid)) {
            let what = if model.bit(state.bus_error_write) { "write" } else { "read" };
            let code = if model.bit(state.bus_error_decode) { "DECERR" } else { "SLVERR" };
            let address = model.get(state.bus_error_addr);
            let actual = format!("1: {code} for a {what} at {address:#010x}");
            return Err(Violation::new("bus_error_valid", "0", actual));
        }
        let is_quiet = self.expected.is_performed()
            && self.rules.is_idle()
            && self.slave.is_quiet()
            && self.requests.data_port.in_flight() == 0;
        if model.bit(self.done.done) && !is_quiet {
            return Err(Violation::new("done", "0 until every request is performed and answered", "1"));
        }
        Ok(())
    }

    fn check_cycle(&mut self, model: &Model, cycle: u64, events: &mut Events) -> Result<(), Violation> {
        let master = self.master(model);
        if let Some(access) = self.rules.check(&master, self.slave.answers())? {
            self.expected.check_access(&access)?;
        }
        events.response = self.expected.check_answer(&mut self.requests, model)?;
        self.expected.expect(&self.requests, events);
        for write in self.slave.sample(cycle, &master, &mut self.memory) {
            self.expected.check_write("m_axi_w", &write.of_line(self.line_words))?;
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
        let fetched = self.fetch.sample(model, &self.memory);
        // The slave has its own bandwidth.
        self.requests.data_port.ready();
        self.requests.accept(model, cycle, self.expected.accepts(model), events);
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
        let performed = self.expected.restart();
        self.fetch.restart();
        let is_idle = !self.fetch.is_in_flight() && self.rules.is_idle() && self.slave.is_idle();
        self.requests.restart() && is_idle && performed
    }

    #[cfg(test)]
    fn load(&mut self, ram: &Ram) {
        self.requests.ram = ram.clone();
        self.memory = ram.clone();
    }

    fn words(&self, _: &Model) -> (Cow<'_, [u32]>, &'static str) {
        (self.expected.words(&self.memory).into(), "m_axi_w")
    }
}

#[cfg(test)]
mod tests;
