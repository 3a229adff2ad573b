"""The two drivers of host/ run programs on a core in Icarus, whose memory and control port are the bus models of
cocotbext-axi, with random pauses. Started by run.sh."""

import ctypes
import importlib
import logging
import os
import random
import sys

import cocotb
from cocotb.clock import Clock
from cocotb.task import bridge, resume
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiRam

OUT, HOST = os.environ["WEFT_OUT"], os.environ["WEFT_HOST"]
sys.path[:0] = [HOST, OUT + "/core"]
weft = importlib.import_module("weft")
registers = importlib.import_module("weft_registers")

RAM, RAM_BYTES = 0x80000000, 1 << 24
SCRATCHPAD, SCRATCHPAD_BYTES = registers.SCRATCHPAD_BASE, 1024
NUMBERS, ARGUMENT = 96, 12345
INPUT = [number * 2654435761 & 0xFFFFFFFF for number in range(1, NUMBERS + 1)]
OUTPUT = [number * ARGUMENT & 0xFFFFFFFF for number in INPUT]


def words(numbers):
    return b"".join(number.to_bytes(4, "little") for number in numbers)


def elf(name):
    with open(f"{OUT}/{name}.elf", "rb") as file:
        return file.read()


def pauses(seed):
    """In long stretches of cycles the channel is nearly always ready, or seldom."""
    generator = random.Random(seed)
    while True:
        share = generator.choice([0, 0.2, 0.8])
        for _ in range(200):
            yield generator.random() < share


class System:
    """A core with memory, in simulation."""

    def __init__(self, dut):
        self.dut = dut
        cocotb.start_soon(Clock(dut.clk, 10, unit="ns").start())
        self.control = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk, dut.rst)
        self.memory = AxiRam(AxiBus.from_prefix(dut, "m_axi"), dut.clk, dut.rst, size=RAM_BYTES)
        for bus in ("s_axil", "m_axi"):
            logging.getLogger(f"cocotb.{dut._name}.{bus}").setLevel(logging.WARNING)
        write, read = self.memory.write_if, self.memory.read_if
        channels = [write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel]
        channels += [self.control.write_if.b_channel, self.control.read_if.r_channel]
        for seed, channel in enumerate(channels):
            channel.set_pause_generator(pauses(seed))

    async def reset(self):
        self.dut.rst.value = 1
        await ClockCycles(self.dut.clk, 4)
        self.dut.rst.value = 0
        cocotb.start_soon(self.watch())

    async def watch(self):
        """No output is unknown: valid, ready and the interrupt ever, fields while their valid is high. Bytes of data may be,
        which nothing has written."""
        ports = {port._name: port for port in self.dut}
        channels = ["m_axi_aw", "m_axi_w", "m_axi_ar", "s_axil_b", "s_axil_r"]
        fields = {name: [port for port in ports if port.startswith(name) and not port.endswith("data")] for name in channels}
        always = [f"{name}valid" for name in channels]
        always += ["m_axi_bready", "m_axi_rready", "s_axil_awready", "s_axil_wready", "s_axil_arready", "irq"]
        while True:
            await RisingEdge(self.dut.clk)
            offered = [field for name in channels if ports[f"{name}valid"].value == 1 for field in fields[name]]
            for name in always + offered:
                assert ports[name].value.is_resolvable, f"{name} is {ports[name].value}"

    def access(self):
        """The callbacks of a driver, which runs in a thread of its own."""

        @resume
        async def read_register(offset):
            answer = await self.control.read(offset, 4)
            return int.from_bytes(answer.data, "little")

        @resume
        async def write_register(offset, value):
            await self.control.write(offset, value.to_bytes(4, "little"))

        def read_memory(address, size):
            return self.memory.read(address - RAM, size)

        def write_memory(address, data):
            self.memory.write(address - RAM, bytes(data))

        return weft.Access(read_register, write_register, read_memory, write_memory)


async def system(dut):
    found = System(dut)
    await found.reset()
    return found


def refused(what, call):
    try:
        call()
    except weft.WeftError as error:
        assert what in str(error), error
    else:
        raise AssertionError(f"not refused: {what}")


def with_python(access):
    core = weft.Weft(access, registers, range(RAM, RAM + RAM_BYTES))
    assert (core.warps, core.threads, core.unit) == (4, 4, os.environ["WEFT_UNIT"])
    refused("no program", core.start)
    if core.reads_table:
        refused("--format elf", lambda: core.load(elf("plain/scale")))
    program = core.load(elf("scale"))
    core.write(program.symbol("input"), words(INPUT))
    refused("WEFT_HOST", lambda: core.write(program.symbol("sum"), bytes(4)))
    refused("outside RAM", lambda: core.read(RAM + RAM_BYTES - 2, 4))
    for run in range(2):
        core.start(ARGUMENT)
        refused("running", lambda: core.load(elf("scale")))
        result = core.wait()
        assert result.passed and not result.fault, result
        assert core.read(program.symbol("output"), 4 * NUMBERS) == words(OUTPUT), f"run {run}"
        assert result.console == b"sum %08x\n" % (sum(OUTPUT) & 0xFFFFFFFF), result.console
        assert 0 < sum(result.stalls.values()) < result.cycles, result
        assert core.paths() == [], "every thread has ended"
    # The scratchpad, of a stopped core.
    refused("outside RAM", lambda: core.write(SCRATCHPAD + SCRATCHPAD_BYTES - 4, bytes(5)))
    core.write(SCRATCHPAD + 5, b"some bytes")
    core.write(SCRATCHPAD + SCRATCHPAD_BYTES - 1, b"z")
    # Once more, stopped somewhere, and then to its end.
    core.start(ARGUMENT)
    refused("running", lambda: core.read(SCRATCHPAD, 4))
    assert not core.wait(polls=2).ended
    refused("running", core.paths)
    assert core.stop().ended
    assert core.read(SCRATCHPAD + 4, 12) == b"\0some bytes\0" and core.read(SCRATCHPAD + SCRATCHPAD_BYTES - 4, 4) == b"\0\0\0z"
    assert core.paths() and all(path.pc in range(RAM, RAM + RAM_BYTES) and 0 < path.mask < 16 for path in core.paths())
    core.start(2)
    assert core.wait().passed
    assert core.read(program.symbol("output"), 4) == words([2 * INPUT[0] & 0xFFFFFFFF])
    # What the host writes meanwhile is seen behind the data cache.
    program = core.load(elf("poll"))
    core.write(program.symbol("number"), bytes(4))
    core.start()
    assert not core.wait(polls=20).ended
    core.stop()
    path = core.paths()[0]
    assert "(main" in path.place and path.warp == 0, path
    core.start()
    assert not core.wait(polls=20).ended
    access.write_memory(program.symbol("number"), words([7]))
    assert core.wait().passed
    core.load(elf("fault"))
    core.start()
    result = core.wait()
    assert result.fault and "(reads_outside" in result.fault and "lane 1" in result.fault, result
    refused("machine 62", lambda: core.load(elf("scale")[:18] + b"\x3e" + elf("scale")[19:]))
    refused("cut short", lambda: core.load(elf("scale")[:600]))
    generator = random.Random(3)
    for _ in range(2000):
        spoiled = bytearray(elf("scale"))
        for _ in range(4):
            spoiled[generator.choice([generator.randrange(120), -generator.randrange(1, 600)])] = generator.randrange(256)
        try:
            weft.Program(bytes(spoiled))
        except weft.WeftError:
            pass  # any other exception fails the test
    silent = access._replace(read_register=lambda _: 0)
    refused("no Weft core", lambda: weft.Weft(silent, registers))


class CAccess(ctypes.Structure):
    READ = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p, ctypes.c_uint32)
    WRITE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32)
    MEMORY = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_uint32)
    _fields_ = [("context", ctypes.c_void_p), ("read_register", READ), ("write_register", WRITE),
                ("read_memory", MEMORY), ("write_memory", MEMORY)]

    @classmethod
    def around(cls, access):
        def read_memory(_, address, data, size):
            ctypes.memmove(data, access.read_memory(address, size), size)
            return 0

        def write_memory(_, address, data, size):
            access.write_memory(address, ctypes.string_at(data, size))
            return 0

        return cls(None, cls.READ(lambda _, offset: access.read_register(offset)),
                   cls.WRITE(lambda _, offset, value: access.write_register(offset, value)),
                   cls.MEMORY(read_memory), cls.MEMORY(write_memory))


class CResult(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int) for name in ("running", "stopping", "done", "fault", "bus_error", "exit_valid")]
    _fields_ += [(name, ctypes.c_uint32) for name in ("exit_code", "exit_hart", "fault_cause", "fault_pc", "fault_warp",
                                                      "fault_lane", "fault_address", "bus_error_address")]
    _fields_ += [(name, ctypes.c_uint64) for name in ("cycles", "instructions", "thread_instructions",
                                                      "write_port", "place", "result", "spacing", "fetch", "parked")]


class CPath(ctypes.Structure):
    _fields_ = [("valid", ctypes.c_int), ("parked", ctypes.c_int), ("pc", ctypes.c_uint32), ("mask", ctypes.c_uint64)]


# Of weft.h.
OK, NO_CORE, NO_ELF, OTHER_MACHINE, OUTSIDE_RAM, BUSY, NOT_LOADED, CLEARED, TIMEOUT, NO_TABLE, NO_PATHS = 0, 1, 3, 4, 5, 7, 8, 9, 10, 13, 14


def with_c(access):
    driver = ctypes.CDLL(f"{OUT}/weft.so")
    driver.weft_symbol_at.restype = ctypes.c_char_p
    core = ctypes.create_string_buffer(256)  # larger than struct weft
    result, address = CResult(), ctypes.c_uint32()
    callbacks, scale, fault = CAccess.around(access), elf("scale"), elf("fault")
    silent = CAccess.around(access._replace(read_register=lambda _: 0))
    assert driver.weft_open(core, ctypes.byref(silent), RAM, RAM_BYTES) == NO_CORE
    assert driver.weft_open(core, ctypes.byref(callbacks), RAM, RAM_BYTES) == OK
    assert driver.weft_start(core, 0) == NOT_LOADED
    assert driver.weft_load(core, scale[:18] + b"\x3e" + scale[19:], len(scale)) == OTHER_MACHINE
    for length in range(0, len(scale), 97):
        assert driver.weft_load(core, scale[:length], length) in (OK, NO_ELF), length
    plain = elf("plain/scale")
    reads_table = bool(access.read_register(registers.SHAPE) & registers.SHAPE_TABLE_MASK)
    assert driver.weft_load(core, plain, len(plain)) == (NO_TABLE if reads_table else OK)
    assert driver.weft_load(core, scale, len(scale)) == OK

    def symbol(name):
        assert driver.weft_symbol(scale, len(scale), name, ctypes.byref(address)) == OK
        return address.value

    assert driver.weft_symbol(scale, len(scale), b"nothing", ctypes.byref(address)) == NO_ELF
    assert driver.weft_write(core, symbol(b"sum"), words([0]), 4) == CLEARED
    assert driver.weft_write(core, RAM + RAM_BYTES - 2, words([0]), 4) == OUTSIDE_RAM
    assert driver.weft_write(core, symbol(b"input"), words(INPUT), 4 * NUMBERS) == OK
    assert driver.weft_start(core, ARGUMENT) == OK
    assert driver.weft_start(core, ARGUMENT) == BUSY
    assert driver.weft_write(core, SCRATCHPAD, bytes(4), 4) == BUSY
    assert driver.weft_wait(core, 2, ctypes.byref(result)) == TIMEOUT and result.running
    assert driver.weft_wait(core, 100_000, ctypes.byref(result)) == OK
    assert result.done and not result.fault and not result.exit_valid and result.thread_instructions > NUMBERS
    assert 0 < result.result + result.fetch + result.spacing < result.cycles
    path = CPath()
    assert driver.weft_path(core, 4, 0, ctypes.byref(path)) == NO_PATHS
    assert driver.weft_path(core, 0, 0, ctypes.byref(path)) == OK and not path.valid
    data, text = ctypes.create_string_buffer(4 * NUMBERS), ctypes.create_string_buffer(64)
    assert driver.weft_read(core, symbol(b"output"), data, 4 * NUMBERS) == OK
    assert data.raw == words(OUTPUT)
    assert driver.weft_write(core, SCRATCHPAD + 3, b"abcdef", 6) == OK
    assert driver.weft_write(core, SCRATCHPAD + SCRATCHPAD_BYTES - 2, b"abcdef", 6) == OUTSIDE_RAM
    assert driver.weft_read(core, SCRATCHPAD + 2, data, 7) == OK and data.raw[:7] == b"\0abcdef"
    count = driver.weft_console(core, text, 64)
    assert text.raw[:count] == b"sum %08x\n" % (sum(OUTPUT) & 0xFFFFFFFF), text.raw
    assert driver.weft_load(core, fault, len(fault)) == OK
    assert driver.weft_start(core, 0) == OK
    assert driver.weft_wait(core, 100_000, ctypes.byref(result)) == OK
    assert result.fault and (result.fault_warp, result.fault_lane, result.fault_address) == (1, 1, 4)
    assert driver.weft_symbol_at(fault, len(fault), result.fault_pc, ctypes.byref(address)) == b"reads_outside"
    assert driver.weft_path(core, 1, 0, ctypes.byref(path)) == OK and path.valid and path.mask >> 1 & 1
    assert driver.weft_stop(core, 10) == OK


@cocotb.test(timeout_time=60, timeout_unit="ms")
async def the_driver_in_python(dut):
    await bridge(with_python)((await system(dut)).access())


@cocotb.test(timeout_time=60, timeout_unit="ms")
async def the_driver_in_c(dut):
    await bridge(with_c)((await system(dut)).access())


def run_kernels(access):
    core = weft.Weft(access, registers, range(RAM, RAM + RAM_BYTES))
    for name in os.environ["WEFT_KERNELS"].split():
        core.load(elf(name))
        core.start()
        result = core.wait()
        assert result.passed, f"{name}: {result}"
        print(f"{name}: {result.cycles} cycles", flush=True)


@cocotb.test()
async def bundled_kernels(dut):
    await bridge(run_kernels)((await system(dut)).access())
