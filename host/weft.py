"""Driver of a Weft core with a control port (control.port), for the processor beside it or a simulator.

The core and its memory are reached by four functions:

    core = Weft(Access(read_register, write_register, read_memory, write_memory), registers)
    program = core.load(open("kernel.elf", "rb").read())
    core.write(program.symbol("input"), data)       # a buffer of the program that is WEFT_HOST
    core.start(argument)
    result = core.wait()
    output = core.read(program.symbol("output"), 1024)

`registers` is the module weft_registers, which `weft emit` writes beside the Verilog. Needs Python 3.9 and no package.
Errors are WeftError, with what to do instead.
"""

import select
import struct
import time
from dataclasses import dataclass
from typing import Callable, NamedTuple, Optional

RISCV = 243
EXECUTABLE = 2
LOADED, TABLE, SYMBOLS = 1, 0x60005754, 2
OBJECT, FUNCTION = 1, 2


class WeftError(Exception):
    """The core, or what was asked of it, is at fault."""


class Access(NamedTuple):
    """How the host reaches the core. Registers are words at offsets from the base of the control port. Memory is at the
    addresses of the program, past the caches of the host."""

    read_register: Callable[[int], int]
    write_register: Callable[[int, int], None]
    read_memory: Callable[[int, int], bytes]
    write_memory: Callable[[int, bytes], None]


class Segment(NamedTuple):
    """Bytes at an address, and zeros behind them up to a size."""

    address: int
    data: bytes
    size: int


class Table(NamedTuple):
    """The reconvergence table: its address, the pc of its first entry, and the bytes of code that it covers."""

    base: int
    first: int
    size: int


class Symbol(NamedTuple):
    name: str
    address: int
    size: int


class Program:
    """A 32-bit RISC-V executable."""

    def __init__(self, elf: bytes):
        if len(elf) < 52 or elf[:6] != b"\x7fELF\x01\x01":
            raise WeftError("not a 32-bit little-endian ELF file")
        kind, machine, _, self.entry, segments, sections = struct.unpack_from("<HHIIII", elf, 16)
        if kind != EXECUTABLE:
            raise WeftError("an ELF file, but no executable: link it first")
        if machine != RISCV:
            raise WeftError(f"an executable of machine {machine}, expected RISC-V ({RISCV})")
        segment_bytes, segment_count, section_bytes, section_count, names = struct.unpack_from("<HHHHH", elf, 42)
        self._elf = elf
        self.table: Optional[Table] = None
        self.segments = [
            found for found in (self._segment(segments + at * segment_bytes) for at in range(segment_count)) if found
        ]
        if not self.segments:
            raise WeftError("an executable without a segment to load")
        headers = [self._part("<10I", sections + at * section_bytes) for at in range(section_count)]
        self.bss = range(0)
        self.symbols = []
        for name, section, _, address, offset, size, link, *_ in headers:
            if names < section_count and self._name(headers[names], name) == ".bss":
                self.bss = range(address, address + size)
            if section == SYMBOLS and link < section_count:
                self.symbols += self._symbols(offset, size, headers[link])

    def _part(self, layout, offset):
        try:
            return struct.unpack_from(layout, self._elf, offset)
        except struct.error:
            raise WeftError("the ELF file is cut short") from None

    def _segment(self, offset) -> Optional[Segment]:
        kind, begin, address, first, in_file, in_memory = self._part("<6I", offset)
        if kind not in (LOADED, TABLE) or not in_memory:
            return None
        if in_file > in_memory or begin + in_file > len(self._elf):
            raise WeftError("the ELF file is cut short")
        if kind == TABLE:
            self.table = Table(address, first, in_memory)
        return Segment(address, self._elf[begin : begin + in_file], in_memory)

    def _name(self, table, offset):
        begin, size = table[4], table[5]
        end = self._elf.find(b"\0", begin + offset, begin + size)
        return self._elf[begin + offset : max(end, 0)].decode("ascii", "replace")

    def _symbols(self, offset, size, names):
        for at in range(offset, offset + size - 15, 16):
            name, address, length, info, *_ = self._part("<IIIBBH", at)
            if info & 15 in (OBJECT, FUNCTION):
                yield Symbol(self._name(names, name), address, length)

    def symbol(self, name: str) -> int:
        """The address of a variable or function."""
        for symbol in self.symbols:
            if symbol.name == name:
                return symbol.address
        raise WeftError(f"the program has no symbol `{name}`")

    def place(self, address: int) -> str:
        """An address with the function or variable around it, for people."""
        for symbol in self.symbols:
            if symbol.address <= address < symbol.address + symbol.size:
                return f"{address:#010x} ({symbol.name} + {address - symbol.address:#x})"
        return f"{address:#010x}"


@dataclass
class Result:
    """What is known of a run: `ended` unless it goes on."""

    ended: bool
    done: bool
    exit_code: int
    exit_hart: Optional[int]
    fault: Optional[str]
    bus_error: Optional[str]
    cycles: int
    instructions: int
    thread_instructions: int
    stalls: dict
    """Cycles in which nothing issued, by cause; empty unless the core counts them (control.counters)."""
    console: bytes

    @property
    def passed(self) -> bool:
        """All threads ended, each with exit code 0."""
        return self.ended and self.done and self.exit_code == 0


@dataclass
class Path:
    """Where a warp of a stopped core was: the lanes of `mask` at `pc`, its next instruction."""

    warp: int
    slot: int
    pc: int
    mask: int
    parked: bool
    place: str

    def __str__(self) -> str:
        waits = ", waits at the barrier" if self.parked else ""
        return f"warp {self.warp} at {self.place}, lanes {self.mask:#x}{waits}"


class Weft:
    """A core. `ram`: the memory that programs may use, memory.ram_bytes of its configuration."""

    def __init__(self, access: Access, registers, ram: range = range(0x80000000, 0x81000000)):
        self.access, self.registers, self.ram = access, registers, ram
        self.program: Optional[Program] = None
        self.console = b""
        found = self.get("ID")
        if found != registers.ID_VALUE:
            raise WeftError(f"no Weft core with a control port here: its register `id` reads {found:#010x}")
        if (self.get("VERSION") ^ registers.VERSION_VALUE) & registers.VERSION_MAJOR_MASK:
            raise WeftError("the registers of the core are of another version than weft_registers.py")
        self.warps, self.threads = self.field("SHAPE", "WARPS"), self.field("SHAPE", "THREADS")
        self.scratchpad = range(registers.SCRATCHPAD_BASE, registers.SCRATCHPAD_BASE + self.get("SCRATCHPAD_BYTES"))
        letters = b"".join(struct.pack("<I", self.get(f"UNIT_{word}")) for word in range(4))
        flags = (bool(self.field("SHAPE", flag)) for flag in ("TABLE", "STALLS", "PATHS"))
        self.reads_table, self.counts_stalls, self.shows_paths = flags
        self.unit = letters.rstrip(b"\0").decode("ascii", "replace")

    def get(self, register: str) -> int:
        return self.access.read_register(getattr(self.registers, register))

    def set(self, register: str, value: int) -> None:
        self.access.write_register(getattr(self.registers, register), value)

    def field(self, register: str, field: str) -> int:
        return self._field(self.get(register), register, field)

    def _field(self, value, register, field):
        name = f"{register}_{field}"
        return (value & getattr(self.registers, f"{name}_MASK")) >> getattr(self.registers, f"{name}_BIT")

    def _bit(self, register, field):
        return getattr(self.registers, f"{register}_{field}_MASK")

    def _is_busy(self, status):
        return bool(status & (self._bit("STATUS", "RUNNING") | self._bit("STATUS", "STOPPING")))

    def _check_idle(self):
        if self._is_busy(self.get("STATUS")):
            raise WeftError("the core is running or stopping: wait for it or stop it first")

    def _check_ram(self, what, address, size):
        if address < self.ram.start or address + size > self.ram.stop:
            raise WeftError(
                f"{what} from {address:#010x} to {address + size:#010x} is outside RAM, which is "
                f"{self.ram.start:#010x} to {self.ram.stop:#010x}"
            )

    def _in_scratchpad(self, address, size):
        return self.scratchpad.start <= address and address + size <= self.scratchpad.stop

    def _shown(self, address):
        """The offset at the control port of a word of the scratchpad."""
        return self.registers.SCRATCHPAD + address - self.scratchpad.start

    def load(self, elf: bytes) -> Program:
        """Writes an executable into memory, with zeros where its segments have no content. The next run begins there."""
        program = Program(elf)
        self._check_idle()
        self._check_ram("the entry", program.entry, 4)
        if program.entry % 4:
            raise WeftError(f"the entry {program.entry:#010x} is no multiple of 4")
        if self.reads_table and program.table is None:
            raise WeftError(
                f"the unit {self.unit} reads a reconvergence table, and the executable has none: weft image --format elf adds it"
            )
        for segment in program.segments:
            self._check_ram("a segment", segment.address, segment.size)
        for segment in program.segments:
            self.access.write_memory(segment.address, segment.data + bytes(segment.size - len(segment.data)))
        self.program = program
        return program

    def read(self, address: int, size: int) -> bytes:
        """Bytes of RAM at any time, or of the scratchpad, at 0x20000000, of a stopped core."""
        if self._in_scratchpad(address, size):
            self._check_idle()
            first = address & ~3
            words = (self.access.read_register(self._shown(at)) for at in range(first, address + size, 4))
            return b"".join(struct.pack("<I", word) for word in words)[address - first :][:size]
        self._check_ram("a read", address, size)
        return self.access.read_memory(address, size)

    def write(self, address: int, data: bytes) -> None:
        if self._in_scratchpad(address, len(data)):
            first, stop = address & ~3, (address + len(data) + 3) & ~3
            before, behind = self.read(first, address - first), self.read(address + len(data), stop - address - len(data))
            for at, (word,) in zip(range(first, stop, 4), struct.iter_unpack("<I", before + data + behind)):
                self.access.write_register(self._shown(at), word)
            return
        self._check_ram("a write", address, len(data))
        bss = self.program.bss if self.program else range(0)
        if data and address < bss.stop and bss.start < address + len(data) and not self._is_busy(self.get("STATUS")):
            raise WeftError(
                f"{self.program.place(address)} is in .bss, which the program clears when it starts: declare the buffer "
                "WEFT_HOST"
            )
        self.access.write_memory(address, data)

    def start(self, argument: int = 0) -> None:
        """Begins a run: all threads start at the entry, and read `argument` with weft_argument()."""
        if self.program is None:
            raise WeftError("no program is loaded")
        self._check_idle()
        self.console = b""
        self.set("ENTRY", self.program.entry)
        self.set("ARGUMENT", argument & 0xFFFFFFFF)
        if self.reads_table:
            for register, value in zip(("TABLE_BASE", "TABLE_FIRST", "TABLE_BYTES"), self.program.table):
                self.set(register, value)
        self.set("CONTROL", self._bit("CONTROL", "START"))
        if self.field("STATUS", "REFUSED"):
            raise WeftError("the core refused the start")

    def _read_console(self):
        while True:
            found = self.get("CONSOLE")
            if not self._field(found, "CONSOLE", "VALID"):
                return
            self.console += bytes([self._field(found, "CONSOLE", "DATA")])

    def wait(self, polls: int = 1_000_000) -> Result:
        """Reads the status up to `polls` times, until the run has ended, and takes what the console prints. If it has not
        ended then, the result has `ended` = False and what is known."""
        status = self.get("STATUS")
        while self._is_busy(status) and polls > 1:
            self._read_console()
            status, polls = self.get("STATUS"), polls - 1
        self._read_console()
        return self._result(status)

    def wait_for_interrupt(self, device, seconds: Optional[float] = None) -> Result:
        """Does as `wait`, but sleeps until the interrupt of a UIO device under Linux, for at most so many seconds. `device` is
        open("/dev/uio0", "r+b", buffering=0). The console is read before and after. A core waits while its console is full: if
        the program prints, pass `seconds` and call this again."""
        until = None if seconds is None else time.monotonic() + seconds
        self.interrupt(True)
        try:
            while True:
                # The kernel masks the interrupt when it comes. A run may end before the first time that it is unmasked.
                device.write(struct.pack("=I", 1))
                result = self.wait(1)
                left = None if until is None else max(0.0, until - time.monotonic())
                if result.ended or not select.select([device], [], [], left)[0]:
                    return result
                device.read(4)
        finally:
            self.interrupt(False)

    def stop(self, polls: int = 10_000) -> Result:
        """Ends the run, and waits until nothing of it is on the bus."""
        self.set("CONTROL", self._bit("CONTROL", "STOP"))
        return self.wait(polls)

    def interrupt(self, enable: bool) -> None:
        """The interrupt follows the end of a run. Enabling clears an earlier one."""
        self.set("INTERRUPT", self._bit("INTERRUPT", "PENDING") | (self._bit("INTERRUPT", "ENABLE") if enable else 0))

    def _counter(self, name):
        above = self.get(f"{name}_HIGH")
        while True:
            below, again = self.get(name), self.get(f"{name}_HIGH")
            if again == above:
                return above << 32 | below
            above = again

    def _place(self, address):
        return self.program.place(address) if self.program else f"{address:#010x}"

    def _fault(self):
        thread = self.get("FAULT_THREAD")
        warp, lane = (self._field(thread, "FAULT_THREAD", part) for part in ("WARP", "LANE"))
        cause, pc, address = self.get("FAULT_CAUSE"), self.get("FAULT_PC"), self.get("FAULT_ADDRESS")
        return f"cause {cause} at {self._place(pc)}, warp {warp}, lane {lane}, address {address:#010x}"

    def _bus_error(self, status):
        kind = "write" if status & self._bit("STATUS", "BUS_ERROR_WRITE") else "read"
        code = "DECERR" if status & self._bit("STATUS", "BUS_ERROR_DECODE") else "SLVERR"
        return f"{code} for a {kind} at {self._place(self.get('BUS_ERROR_ADDRESS'))}"

    def paths(self) -> list:
        """The active path of each warp that has not ended, once the core has stopped."""
        if not self.shows_paths:
            raise WeftError("the core does not show its paths: set control.paths=true")
        self._check_idle()
        found = (self._path(warp, slot) for warp in range(self.warps) for slot in range(2))
        return [path for path in found if path]

    def _path(self, warp, slot):
        registers = self.registers
        base = registers.PATHS + warp * registers.PATHS_WARP + slot * registers.PATHS_SLOT
        words = ("PC", "MASK", "MASK_HIGH", "STATE")
        pc, low, high, state = (self.access.read_register(base + getattr(registers, f"PATH_{word}")) for word in words)
        if not state & self._bit("PATH_STATE", "VALID"):
            return None
        return Path(warp, slot, pc, high << 32 | low, bool(state & self._bit("PATH_STATE", "PARKED")), self._place(pc))

    def _stalls(self):
        if not self.counts_stalls:
            return {}
        causes = ("write_port", "place", "result", "spacing", "fetch", "parked")
        return {cause: self._counter(f"STALLS_{cause.upper()}") for cause in causes}

    def _result(self, status):
        def has(field):
            return bool(status & self._bit("STATUS", field))

        exits = has("EXIT_VALID")
        return Result(
            ended=not self._is_busy(status),
            done=has("DONE"),
            exit_code=self.get("EXIT_CODE") if exits else 0,
            exit_hart=self.get("EXIT_HART") if exits else None,
            fault=self._fault() if has("FAULT") else None,
            bus_error=self._bus_error(status) if has("BUS_ERROR") else None,
            cycles=self._counter("CYCLES"),
            instructions=self._counter("INSTRUCTIONS"),
            thread_instructions=self._counter("THREAD_INSTRUCTIONS"),
            stalls=self._stalls(),
            console=self.console,
        )
