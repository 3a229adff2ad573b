//! A second implementation of a kernel's divergence. rrs-lib executes every hart alone, an instruction at a time;
//! CSRs and atomics, which rrs-lib lacks, are below. Harts of a warp with the same pc and call depth execute
//! together: first those that an indirect jump has left behind, then greatest depth first, then smallest pc.
//! It shares no code with the golden model, and has no lines, groups or masks.

use rrs_lib::instruction_executor::InstructionExecutor;
use rrs_lib::memories::VecMemory;
use rrs_lib::{HartState, MemAccessSize, Memory};

const RAM: u32 = 0x8000_0000;
const CONSOLE: u32 = 0x1000_0000;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Instructions, counted once for all harts that execute one together.
    pub warp_instructions: u64,
    pub thread_instructions: u64,
    /// Conditional branches and indirect jumps with several targets among their harts.
    pub divergent_branches: u64,
}

pub struct Core {
    warps: Vec<Warp>,
    memory: Map,
    stack_end: u32,
    stack_bytes: u32,
    counts: Counts,
}

/// RAM, and a console that discards its input.
struct Map {
    ram: VecMemory,
}

impl Memory for Map {
    fn read_mem(&mut self, address: u32, size: MemAccessSize) -> Option<u32> {
        if address == CONSOLE { Some(0) } else { self.ram.read_mem(address.checked_sub(RAM)?, size) }
    }

    fn write_mem(&mut self, address: u32, size: MemAccessSize, data: u32) -> bool {
        let in_ram = || address.checked_sub(RAM);
        address == CONSOLE || in_ram().is_some_and(|offset| self.ram.write_mem(offset, size, data))
    }
}

struct Warp {
    harts: Vec<Hart>,
    /// Lanes that an indirect jump has left behind.
    left: Vec<usize>,
}

struct Hart {
    state: HartState,
    depth: u8,
    /// Of its barrier group: kept, and without effect, since the kernels write it back before a barrier.
    level: u32,
    exit_code: Option<u32>,
    parked: bool,
    reservation: Option<u32>,
}

#[derive(Clone, Copy)]
pub struct Size {
    pub warps: u32,
    pub threads: u32,
    pub ram_bytes: u32,
    pub stack_bytes: u32,
}

impl Core {
    /// All harts at `entry`, with the segments (address, bytes) of a program.
    pub fn new<'a>(size: Size, entry: u32, segments: impl IntoIterator<Item = (u32, &'a [u8])>) -> Self {
        let mut ram = vec![0u32; size.ram_bytes as usize / 4];
        for (address, bytes) in segments {
            for (at, byte) in (address - RAM..).zip(bytes) {
                ram[at as usize / 4] |= u32::from(*byte) << (at % 4 * 8);
            }
        }
        let hart = || Hart {
            state: HartState { pc: entry, ..HartState::new() },
            depth: 0,
            level: 0,
            exit_code: None,
            parked: false,
            reservation: None,
        };
        let warp = || Warp { harts: (0..size.threads).map(|_| hart()).collect(), left: Vec::new() };
        Self {
            warps: (0..size.warps).map(|_| warp()).collect(),
            memory: Map { ram: VecMemory::new(ram) },
            stack_end: RAM.wrapping_add(size.ram_bytes - (size.warps * size.threads - 1) * size.stack_bytes),
            stack_bytes: size.stack_bytes,
            counts: Counts::default(),
        }
    }

    /// Runs until every hart has ended, round robin over the warps. Also returns the exit codes.
    pub fn run(mut self) -> (Counts, Vec<u32>) {
        let mut turns = 0u64;
        while self.harts().any(|hart| hart.exit_code.is_none()) {
            turns += 1;
            assert!(turns < 10_000_000, "the kernel does not end");
            for warp in 0..self.warps.len() {
                self.turn(warp);
            }
            if self.harts().all(|hart| hart.parked || hart.exit_code.is_some()) {
                self.warps.iter_mut().flat_map(|warp| &mut warp.harts).for_each(|hart| hart.parked = false);
            }
        }
        let codes = self.harts().filter_map(|hart| hart.exit_code).collect();
        (self.counts, codes)
    }

    fn harts(&self) -> impl Iterator<Item = &Hart> {
        self.warps.iter().flat_map(|warp| &warp.harts)
    }

    /// Executes one instruction of a warp's active harts.
    fn turn(&mut self, warp: usize) {
        let runnable = |hart: &&Hart| hart.exit_code.is_none() && !hart.parked;
        let place = |hart: &Hart| (255 - hart.depth, hart.state.pc);
        let left = std::mem::take(&mut self.warps[warp].left);
        let again = !left.is_empty();
        let harts = &self.warps[warp].harts;
        let Some(best) = harts.iter().filter(runnable).map(place).min() else { return };
        let mut lanes: Vec<usize> =
            (0..harts.len()).filter(|lane| runnable(&&harts[*lane]) && place(&harts[*lane]) == best).collect();
        if again {
            lanes = left;
        }
        let instruction = self.read(harts[lanes[0]].state.pc);

        if instruction & 0x7f == 0x67 {
            let target = |lane: &usize| {
                let base = self.warps[warp].harts[*lane].state.registers[(instruction >> 15 & 31) as usize];
                base.wrapping_add((instruction as i32 >> 20) as u32) & !1
            };
            let leader = target(&lanes[0]);
            let (going, left): (Vec<usize>, Vec<usize>) = lanes.iter().partition(|lane| target(lane) == leader);
            if !left.is_empty() {
                self.counts.divergent_branches += u64::from(!again);
                self.counts.warp_instructions -= 1;
                self.warps[warp].left = left;
                lanes = going;
            }
        }
        let mask = lanes.iter().fold(0u64, |mask, lane| mask | 1 << lane);
        for lane in &lanes {
            self.step(warp, *lane, instruction, mask);
        }
        self.counts.warp_instructions = self.counts.warp_instructions.wrapping_add(1);
        self.counts.thread_instructions += lanes.len() as u64;
        let next = |lane: &usize| self.warps[warp].harts[*lane].state.pc;
        let parted = lanes.iter().any(|lane| next(lane) != next(&lanes[0]));
        self.counts.divergent_branches += u64::from(parted);
    }

    fn step(&mut self, warp: usize, lane: usize, instruction: u32, mask: u64) {
        let (opcode, rd, rs1) = (instruction & 0x7f, instruction >> 7 & 31, instruction >> 15 & 31);
        match opcode {
            0x73 => self.csr(warp, lane, instruction, mask),
            0x2f => self.atomic(warp, lane, instruction),
            0x0f => self.warps[warp].harts[lane].state.pc += 4,
            _ => {
                let hart = &mut self.warps[warp].harts[lane];
                if opcode == 0x23 {
                    let offset = (instruction as i32 >> 25 << 5) as u32 | rd;
                    let word = hart.state.registers[rs1 as usize].wrapping_add(offset) & !3;
                    self.lose(word);
                }
                let hart = &mut self.warps[warp].harts[lane];
                InstructionExecutor { hart_state: &mut hart.state, mem: &mut self.memory }
                    .step()
                    .unwrap_or_else(|error| panic!("{instruction:#010x}: {error:?}"));
                let link = |register: u32| register == 1 || register == 5;
                hart.depth = match opcode {
                    0x6f if link(rd) => hart.depth.wrapping_add(1),
                    0x67 if link(rd) && !(link(rs1) && rs1 != rd) => hart.depth.wrapping_add(1),
                    0x67 if link(rs1) && !link(rd) => hart.depth.wrapping_sub(1),
                    _ => hart.depth,
                };
            }
        }
    }

    fn csr(&mut self, warp: usize, lane: usize, instruction: u32, mask: u64) {
        let threads = self.warps[warp].harts.len();
        let number = (warp * threads + lane) as u32;
        let value = match instruction >> 20 {
            0xf14 => number,
            // What counts goes up; the high words have not yet.
            0xb00 | 0xb02 | 0xc00..=0xc02 | 0xcc5 | 0xcc6 => self.counts.thread_instructions as u32,
            0xb80 | 0xb82 | 0xc80..=0xc82 | 0xcc8 | 0xcc9 | 0x800 | 0x801 | 0x804 => 0,
            0x802 => self.warps[warp].harts[lane].level,
            0x803 => self.warps[warp].harts[lane].depth.into(),
            0xcc0 => threads as u32,
            0xcc1 => self.warps.len() as u32,
            0xcc2 => mask as u32,
            0xcc4 => (mask >> 32) as u32,
            0xcc3 => self.stack_end.wrapping_add(number * self.stack_bytes),
            csr => panic!("no CSR {csr:#x}"),
        };
        let hart = &mut self.warps[warp].harts[lane];
        let (funct3, field) = (instruction >> 12 & 7, instruction >> 15 & 31);
        let operand = if funct3 >= 4 { field } else { hart.state.registers[field as usize] };
        let writes = funct3 & 3 == 1 || field != 0;
        hart.state.pc += 4;
        hart.set(instruction >> 7 & 31, value);
        match (instruction >> 20, writes) {
            (0x800, true) => hart.exit_code = Some(operand),
            (0x801, true) => hart.parked = true,
            (0x802, true) => hart.level = operand,
            (0x803, true) => hart.depth = operand as u8,
            _ => {}
        }
    }

    fn atomic(&mut self, warp: usize, lane: usize, instruction: u32) {
        let hart = &mut self.warps[warp].harts[lane];
        let address = hart.state.registers[(instruction >> 15 & 31) as usize];
        let operand = hart.state.registers[(instruction >> 20 & 31) as usize];
        let held = hart.reservation == Some(address);
        let old = self.read(address);
        let signed = |choose: fn(i32, i32) -> i32| choose(old as i32, operand as i32) as u32;
        let (result, new) = match instruction >> 27 {
            0b00010 => (old, None),
            0b00011 => (u32::from(!held), held.then_some(operand)),
            0b00001 => (old, Some(operand)),
            0b00000 => (old, Some(old.wrapping_add(operand))),
            0b00100 => (old, Some(old ^ operand)),
            0b01100 => (old, Some(old & operand)),
            0b01000 => (old, Some(old | operand)),
            0b10000 => (old, Some(signed(i32::min))),
            0b10100 => (old, Some(signed(i32::max))),
            0b11000 => (old, Some(old.min(operand))),
            0b11100 => (old, Some(old.max(operand))),
            _ => panic!("no atomic instruction {instruction:#010x}"),
        };
        if let Some(new) = new {
            self.memory.write_mem(address, MemAccessSize::Word, new);
            self.lose(address);
        }
        let hart = &mut self.warps[warp].harts[lane];
        hart.reservation = (instruction >> 27 == 0b00010).then_some(address);
        hart.set(instruction >> 7 & 31, result);
        hart.state.pc += 4;
    }

    /// A store ends the reservations of its word.
    fn lose(&mut self, word: u32) {
        for hart in self.warps.iter_mut().flat_map(|warp| &mut warp.harts) {
            hart.reservation = hart.reservation.filter(|reserved| *reserved != word);
        }
    }

    fn read(&mut self, address: u32) -> u32 {
        self.memory.read_mem(address, MemAccessSize::Word).expect("an address in memory")
    }
}

impl Hart {
    fn set(&mut self, register: u32, value: u32) {
        if register != 0 {
            self.state.registers[register as usize] = value;
        }
    }
}
