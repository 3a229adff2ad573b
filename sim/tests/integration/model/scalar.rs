//! One hart of RV32IM, written as plainly as possible: the reference for race-free programs. It shares no code with
//! the model: it decodes and executes directly from the word's fields.

/// The extension M, computed in numbers so wide that only division by zero is a special case.
fn long_arithmetic(funct3: u32, a: u32, b: u32) -> u32 {
    let (signed_a, signed_b) = (i128::from(a as i32), i128::from(b as i32));
    let (a, b) = (i128::from(a), i128::from(b));
    let result = match funct3 {
        0 => a * b,
        1 => (signed_a * signed_b) >> 32,
        2 => (signed_a * b) >> 32,
        3 => (a * b) >> 32,
        4 | 5 if b == 0 => -1,
        6 | 7 if b == 0 => a,
        4 => signed_a / signed_b,
        5 => a / b,
        6 => signed_a % signed_b,
        _ => a % b,
    };
    result as u32
}

/// A hart alone with its own view of memory.
pub struct Scalar {
    pub registers: [u32; 32],
    pub pc: u32,
    pub hart: u32,
    pub stack_end: u32,
    pub base: u32,
    pub memory: Vec<u8>,
}

fn signed(value: u32, bits: u32) -> u32 {
    let sign = 1 << (bits - 1);
    (value ^ sign).wrapping_sub(sign)
}

impl Scalar {
    /// Runs to the exit CSR; gives the exit code.
    pub fn run(&mut self) -> u32 {
        for _ in 0..1_000_000 {
            if let Some(code) = self.step() {
                return code;
            }
        }
        panic!("the program does not end");
    }

    fn get(&self, register: u32) -> u32 {
        self.registers[register as usize]
    }

    fn load(&self, address: u32, bytes: u32) -> u32 {
        (0..bytes).map(|byte| u32::from(self.memory[(address + byte - self.base) as usize]) << (8 * byte)).sum()
    }

    fn step(&mut self) -> Option<u32> {
        let word = self.load(self.pc, 4);
        let (rd, rs1, rs2) = (word >> 7 & 31, word >> 15 & 31, word >> 20 & 31);
        let (funct3, funct7) = (word >> 12 & 7, word >> 25);
        let (a, b) = (self.get(rs1), self.get(rs2));
        let immediate = signed(word >> 20, 12);
        let mut next = self.pc.wrapping_add(4);
        let result = match word & 0x7f {
            0x37 => word & 0xffff_f000,
            0x17 => self.pc.wrapping_add(word & 0xffff_f000),
            0x6f => {
                let offset =
                    (word >> 31) << 20 | (word >> 12 & 0xff) << 12 | (word >> 20 & 1) << 11 | (word >> 21 & 0x3ff) << 1;
                let link = next;
                next = self.pc.wrapping_add(signed(offset, 21));
                link
            }
            0x67 => {
                let link = next;
                next = a.wrapping_add(immediate) & 0xffff_fffe;
                link
            }
            0x63 => {
                let offset =
                    (word >> 31) << 12 | (word >> 7 & 1) << 11 | (word >> 25 & 0x3f) << 5 | (word >> 8 & 0xf) << 1;
                let holds = match funct3 >> 1 {
                    0 => a == b,
                    2 => (a as i32) < (b as i32),
                    3 => a < b,
                    _ => panic!("no such branch"),
                };
                if holds != (funct3 & 1 == 1) {
                    next = self.pc.wrapping_add(signed(offset, 13));
                }
                self.pc = next;
                return None;
            }
            0x03 => {
                let address = a.wrapping_add(immediate);
                match funct3 {
                    0 => signed(self.load(address, 1), 8),
                    1 => signed(self.load(address, 2), 16),
                    2 => self.load(address, 4),
                    4 => self.load(address, 1),
                    5 => self.load(address, 2),
                    _ => panic!("no such load"),
                }
            }
            0x23 => {
                let address = a.wrapping_add(signed(funct7 << 5 | rd, 12));
                for byte in 0..1 << funct3 {
                    self.memory[(address + byte - self.base) as usize] = (b >> (8 * byte)) as u8;
                }
                self.pc = next;
                return None;
            }
            0x33 if funct7 == 1 => long_arithmetic(funct3, a, b),
            opcode @ (0x13 | 0x33) => {
                let operand = if opcode == 0x13 { immediate } else { b };
                let other = funct7 == 0x20 && (opcode == 0x33 || funct3 == 5);
                match (funct3, other) {
                    (0, false) => a.wrapping_add(operand),
                    (0, true) => a.wrapping_sub(operand),
                    (1, _) => a << (operand & 31),
                    (2, _) => ((a as i32) < (operand as i32)).into(),
                    (3, _) => (a < operand).into(),
                    (4, _) => a ^ operand,
                    (5, false) => a >> (operand & 31),
                    (5, true) => ((a as i32) >> (operand & 31)) as u32,
                    (6, _) => a | operand,
                    _ => a & operand,
                }
            }
            0x73 if word >> 20 == 0x800 && funct3 == 1 => return Some(a),
            0x73 if word >> 20 == 0xf14 && funct3 == 2 => self.hart,
            0x73 if word >> 20 == 0xcc3 && funct3 == 2 => self.stack_end,
            // A fence, and the barrier, where a single hart does not wait.
            0x0f | 0x73 if word & 0x7f == 0x0f || word >> 20 == 0x801 && funct3 == 1 => {
                self.pc = next;
                return None;
            }
            _ => panic!("no such instruction: {word:#010x}"),
        };
        if rd != 0 {
            self.registers[rd as usize] = result;
        }
        self.pc = next;
        None
    }
}
