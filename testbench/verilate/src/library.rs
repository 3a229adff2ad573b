//! The loaded model: the only boundary at which the bench trusts foreign code.
//!
//! Everything `unsafe` of the crate is in this file. It is sound because:
//! - The shared object was built by `build.rs` from `harness.rs`. Its interface version is checked before any other
//!   call, so the signatures below match its functions.
//! - An instance lives from `weft_create` to `weft_destroy` in [`Drop`], before the library is closed (fields drop in
//!   order, and `drop` runs before them).
//! - The port table and its storage belong to the instance and do not move. Only `weft_eval` (which takes `&mut
//!   Model`) and [`Model::set`] (likewise) write them. So a shared borrow of the model is a shared borrow of its
//!   ports.
//! - The same holds for the table of banks. The storage of a bank is an array of `u32`, Verilator's array of IData.
//! - The coverage counters are 32-bit words. Only `weft_eval` and [`Model::forget`] write them, and only in the
//!   thread that owns the model.
//! - A port of `bits` bits is a `u8`, `u16`, `u32`, `u64` or an array of `u32` (Verilator's CData, SData, IData,
//!   QData, VlWide), aligned as such.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_void};
use std::io;
use std::path::Path;
use std::ptr::NonNull;

use libloading::Library;
use rtl::Direction;

use super::coverage::{self, Point, Sums};
use super::harness::INTERFACE;

/// A shared object that is not a usable model, or a model that failed.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    #[error("{path}: {source}; `weft cache clean` removes damaged entries")]
    Load { path: String, source: libloading::Error },
    #[error("{path}: model interface {found}, expected {INTERFACE}; `weft cache clean` removes old entries")]
    Interface { path: String, found: u32 },
    #[error("{path}: the model could not be constructed")]
    Create { path: String },
    #[error("the verilated model stopped: {0}")]
    Eval(String),
    #[error("port {name} of the core: {found}, expected {expected}")]
    Port { name: String, found: String, expected: String },
    #[error("coverage of the model: {0}")]
    Coverage(io::Error),
    #[error("{path}: the waveform file cannot be written")]
    Wave { path: String },
}

#[repr(C)]
struct RawPort {
    name: *const c_char,
    bits: u32,
    output: u32,
    address: *mut c_void,
}

#[repr(C)]
struct RawBank {
    words: u32,
    address: *mut c_void,
}

struct Functions {
    destroy: unsafe extern "C" fn(*mut c_void),
    eval: unsafe extern "C" fn(*mut c_void) -> *const c_char,
    wave: Option<WaveFunctions>,
    coverage: Option<CoverageFunctions>,
}

struct CoverageFunctions {
    counters: unsafe extern "C" fn(*mut c_void, *mut u32) -> *mut u32,
    write: unsafe extern "C" fn(*const u32, *const c_char) -> i32,
}

struct WaveFunctions {
    open: unsafe extern "C" fn(*mut c_void, *const c_char) -> i32,
    dump: unsafe extern "C" fn(*mut c_void, u64),
    close: unsafe extern "C" fn(*mut c_void),
}

/// A port of a [`Model`], found by name once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port(usize);

struct Slot {
    name: String,
    bits: u32,
    direction: Direction,
    address: NonNull<c_void>,
}

#[derive(Clone, Copy)]
struct Bank {
    words: usize,
    address: NonNull<u32>,
}

pub struct Model {
    instance: NonNull<c_void>,
    functions: Functions,
    ports: Vec<Slot>,
    banks: Vec<Bank>,
    wave_open: bool,
    /// Receive its counts when it ends.
    sums: Option<Sums>,
    _library: Library,
}

impl Model {
    /// Loads a shared object and constructs an instance, with random bits of `seed` as uninitialised state. `sums`
    /// receive its counts when it ends.
    pub(super) fn load(path: &Path, seed: i32, sums: Option<Sums>) -> Result<Self, ModelError> {
        let load = |source| ModelError::Load { path: path.display().to_string(), source };
        // SAFETY: the object is one that this crate compiled; its initialisers are the C++ runtime's.
        let library = unsafe { Library::new(path) }.map_err(load)?;
        // SAFETY: the types are those of the definitions in `harness.rs`.
        unsafe {
            let interface = *library.get::<unsafe extern "C" fn() -> u32>(c"weft_interface").map_err(load)?;
            let found = interface();
            if found != INTERFACE {
                return Err(ModelError::Interface { path: path.display().to_string(), found });
            }
            let create = *library.get::<unsafe extern "C" fn(i32) -> *mut c_void>(c"weft_create").map_err(load)?;
            let ports = *library
                .get::<unsafe extern "C" fn(*mut c_void, *mut u32) -> *const RawPort>(c"weft_ports")
                .map_err(load)?;
            let banks = *library
                .get::<unsafe extern "C" fn(*mut c_void, *mut u32) -> *const RawBank>(c"weft_banks")
                .map_err(load)?;
            let functions = Functions {
                destroy: *library.get(c"weft_destroy").map_err(load)?,
                eval: *library.get(c"weft_eval").map_err(load)?,
                wave: match library.get(c"weft_wave_open") {
                    Ok(open) => Some(WaveFunctions {
                        open: *open,
                        dump: *library.get(c"weft_wave_dump").map_err(load)?,
                        close: *library.get(c"weft_wave_close").map_err(load)?,
                    }),
                    Err(_) => None,
                },
                coverage: match library.get(c"weft_coverage") {
                    Ok(counters) => Some(CoverageFunctions {
                        counters: *counters,
                        write: *library.get(c"weft_coverage_write").map_err(load)?,
                    }),
                    Err(_) => None,
                },
            };
            let Some(instance) = NonNull::new(create(seed)) else {
                return Err(ModelError::Create { path: path.display().to_string() });
            };
            let (ports_of, banks_of) = (ports, banks);
            let (ports, banks) = (Vec::new(), Vec::new());
            let mut model = Self { instance, functions, ports, banks, wave_open: false, sums, _library: library };
            let mut count = 0;
            let table = ports_of(instance.as_ptr(), &mut count);
            for raw in std::slice::from_raw_parts(table, count as usize) {
                model.ports.push(Slot {
                    name: CStr::from_ptr(raw.name).to_string_lossy().into_owned(),
                    bits: raw.bits,
                    direction: if raw.output == 0 { Direction::Input } else { Direction::Output },
                    address: NonNull::new_unchecked(raw.address),
                });
            }
            let table = banks_of(instance.as_ptr(), &mut count);
            for raw in std::slice::from_raw_parts(table, count as usize) {
                let address = NonNull::new_unchecked(raw.address.cast());
                model.banks.push(Bank { words: raw.words as usize, address });
            }
            Ok(model)
        }
    }

    /// The port called `name`, which must have this width and direction.
    pub fn port(&self, name: &str, bits: usize, direction: Direction) -> Result<Port, ModelError> {
        let expected = || format!("{bits} bits, {direction:?}");
        let wrong = |found| ModelError::Port { name: name.into(), found, expected: expected() };
        let index = self.ports.iter().position(|slot| slot.name == name).ok_or_else(|| wrong("none".into()))?;
        let slot = &self.ports[index];
        if slot.bits as usize == bits && slot.direction == direction {
            Ok(Port(index))
        } else {
            Err(wrong(format!("{} bits, {:?}", slot.bits, slot.direction)))
        }
    }

    /// Recomputes all signals from the inputs.
    pub fn eval(&mut self) -> Result<(), ModelError> {
        // SAFETY: the instance is alive; the message, if any, lives until the next call.
        unsafe {
            let message = (self.functions.eval)(self.instance.as_ptr());
            if message.is_null() {
                Ok(())
            } else {
                Err(ModelError::Eval(CStr::from_ptr(message).to_string_lossy().into_owned()))
            }
        }
    }

    /// Reads a port; of one wider than 64 bits, the low 64.
    pub fn get(&self, port: Port) -> u64 {
        let slot = &self.ports[port.0];
        // SAFETY: the storage of a port of `bits` bits; see the top of the file.
        unsafe {
            match slot.bits {
                0..=8 => u64::from(*slot.address.cast::<u8>().as_ref()),
                9..=16 => u64::from(*slot.address.cast::<u16>().as_ref()),
                17..=32 => u64::from(*slot.address.cast::<u32>().as_ref()),
                33..=64 => *slot.address.cast::<u64>().as_ref(),
                _ => {
                    let words = slot.address.cast::<[u32; 2]>().as_ref();
                    u64::from(words[0]) | u64::from(words[1]) << 32
                }
            }
        }
    }

    pub fn bits(&self, port: Port) -> usize {
        self.ports[port.0].bits as usize
    }

    pub fn bit(&self, port: Port) -> bool {
        self.get(port) != 0
    }

    /// The words of a port of at least 32 bits, lowest first.
    pub fn words(&self, port: Port) -> &[u32] {
        let slot = &self.ports[port.0];
        assert!(slot.bits > 16, "port {} has no whole word", slot.name);
        // SAFETY: `u32`, `u64` (whose words are in this order on the little-endian machines that
        // are supported) or an array of `u32`: in each case `words_of(bits)` aligned words.
        unsafe { std::slice::from_raw_parts(slot.address.cast::<u32>().as_ptr(), words_of(slot.bits)) }
    }

    /// Drives an input with a value of at most 64 bits. Bits beyond its width are dropped.
    pub fn set(&mut self, port: Port, value: u64) {
        let slot = &self.ports[port.0];
        assert!(slot.direction == Direction::Input && slot.bits <= 64, "port {} takes no such value", slot.name);
        let value = value & (u64::MAX >> (64 - slot.bits));
        // SAFETY: the storage of an input of `bits` bits, borrowed exclusively with the model.
        unsafe {
            match slot.bits {
                0..=8 => *slot.address.cast::<u8>().as_ptr() = value as u8,
                9..=16 => *slot.address.cast::<u16>().as_ptr() = value as u16,
                17..=32 => *slot.address.cast::<u32>().as_ptr() = value as u32,
                _ => *slot.address.cast::<u64>().as_ptr() = value,
            }
        }
    }

    /// The words of an input whose width is a multiple of 32, lowest first, for writing.
    pub fn words_mut(&mut self, port: Port) -> &mut [u32] {
        let slot = &self.ports[port.0];
        assert!(
            slot.direction == Direction::Input && slot.bits.is_multiple_of(32),
            "port {} takes no whole words",
            slot.name
        );
        // SAFETY: as in `words`, borrowed exclusively with the model; every bit belongs to the port.
        unsafe { std::slice::from_raw_parts_mut(slot.address.cast::<u32>().as_ptr(), words_of(slot.bits)) }
    }

    pub fn banks(&self) -> usize {
        self.banks.len()
    }

    pub fn bank(&self, number: usize) -> &[u32] {
        let Bank { words, address } = self.banks[number];
        // SAFETY: `words` words, which only `eval` and `bank_mut` write; see the top of the file.
        unsafe { std::slice::from_raw_parts(address.as_ptr(), words) }
    }

    /// The words of a bank, for writing. The core sees a change at its next clock edge.
    pub fn bank_mut(&mut self, number: usize) -> &mut [u32] {
        let Bank { words, address } = self.banks[number];
        // SAFETY: as in `bank`, borrowed exclusively with the model.
        unsafe { std::slice::from_raw_parts_mut(address.as_ptr(), words) }
    }

    fn counters(&mut self) -> &mut [u32] {
        let Some(functions) = &self.functions.coverage else { return &mut [] };
        let mut count = 0;
        // SAFETY: the words of the instance, borrowed exclusively with the model; see the top of the file.
        unsafe {
            let counters = (functions.counters)(self.instance.as_ptr(), &mut count);
            std::slice::from_raw_parts_mut(counters, count as usize)
        }
    }

    /// Resets the counters: changes of random state during reset are not caused by a program.
    pub fn forget(&mut self) {
        self.counters().fill(0);
    }

    /// The coverage points, with these sums as the counts; zeros if there are none.
    pub(super) fn coverage(mut self, sums: &[u32]) -> Result<Vec<Point>, ModelError> {
        let folder = tempfile::tempdir().map_err(ModelError::Coverage)?;
        let file = folder.path().join("coverage.dat");
        let mut counts = sums.to_vec();
        counts.resize(self.counters().len(), 0);
        let Some(functions) = &self.functions.coverage else { return Ok(Vec::new()) };
        let name =
            CString::new(file.as_os_str().as_encoded_bytes()).map_err(|error| ModelError::Coverage(error.into()))?;
        // SAFETY: there are as many counts as counters; the name ends in a zero byte.
        let written = unsafe { (functions.write)(counts.as_ptr(), name.as_ptr()) };
        if written == 0 {
            return Err(ModelError::Coverage(io::Error::other("the model could not write its counters")));
        }
        coverage::read(&file).map_err(ModelError::Coverage)
    }

    pub fn open_wave(&mut self, path: &Path) -> Result<(), ModelError> {
        let refused = || ModelError::Wave { path: path.display().to_string() };
        let wave = self.functions.wave.as_ref().ok_or_else(refused)?;
        let name = CString::new(path.as_os_str().as_encoded_bytes()).map_err(|_| refused())?;
        // SAFETY: the instance is alive, the name ends in a zero byte.
        self.wave_open = unsafe { (wave.open)(self.instance.as_ptr(), name.as_ptr()) } != 0;
        if self.wave_open { Ok(()) } else { Err(refused()) }
    }

    /// Appends the current values to the waveform, if one is open.
    pub fn dump_wave(&mut self, time: u64) {
        if let (true, Some(wave)) = (self.wave_open, &self.functions.wave) {
            // SAFETY: the instance is alive and its waveform open.
            unsafe { (wave.dump)(self.instance.as_ptr(), time) }
        }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        if let Some(sums) = self.sums.take() {
            sums.add(self.counters());
        }
        // SAFETY: the instance is alive, and this is its last use.
        unsafe {
            if let (true, Some(wave)) = (self.wave_open, &self.functions.wave) {
                (wave.close)(self.instance.as_ptr());
            }
            (self.functions.destroy)(self.instance.as_ptr());
        }
    }
}

fn words_of(bits: u32) -> usize {
    bits.div_ceil(32) as usize
}
