"""A LiteX SoC: VexRiscv, SDRAM behind LiteDRAM, and a Weft core with its own port to it. LiteX compiles and simulates it.

    soc.py OUT

OUT holds what `weft emit` wrote, in core/, and the programs of the core. The software of the processor runs from ROM, and ends
the simulation by a write to the register `finish`.
"""

import pathlib
import re
import subprocess
import sys

from litedram.frontend.axi import LiteDRAMAXI2Native, LiteDRAMAXIPort
from litedram.modules import MT48LC16M16
from litedram.phy.model import SDRAMPHYModel
from litex.build.generic_platform import Pins, Subsignal
from litex.build.sim import SimPlatform
from litex.build.sim.config import SimConfig
from litex.gen import LiteXModule
from litex.soc.integration.builder import Builder, soc_directory
from litex.soc.integration.common import get_mem_data
from litex.soc.integration.soc import SoCRegion
from litex.soc.integration.soc_core import SoCCore
from litex.soc.interconnect.axi import AXILiteInterface
from litex.soc.interconnect.csr import CSRStorage
from migen import ClockDomain, ClockSignal, Finish, If, Instance, ResetSignal, Signal

HERE = pathlib.Path(__file__).parent.resolve()
DRIVER = HERE.parent.parent / "host"
LITEX = pathlib.Path(soc_directory)
PROCESSOR = LITEX / "cores/cpu/vexriscv"
PREFIX = "riscv64-unknown-elf-"
CLOCK = 100e6
# Where programs of the core have their RAM, and where the processor sees it. Both are the start of the SDRAM.
WEFT_RAM, HOST_RAM = 0x8000_0000, 0x4000_0000
CONTROL = 0x9000_0000
INTERRUPT = 5
PINS = [
    ("sys_clk", 0, Pins(1)),
    ("serial", 0, *(Subsignal(name, Pins(width)) for name, width in (
        ("source_valid", 1), ("source_ready", 1), ("source_data", 8), ("sink_valid", 1), ("sink_ready", 1), ("sink_data", 8)))),
]


class Weft(LiteXModule):
    """The core, with the two buses that `weft_core.v` names."""

    def __init__(self, platform, core):
        def width(port):
            return int(re.search(rf"\[(\d+):0\] +{port}\b", top)[1]) + 1

        top = (core / "weft_core.v").read_text()
        self.bytes = 1 << width("s_axil_awaddr")
        self.control = AXILiteInterface(data_width=32, address_width=32)
        self.memory = LiteDRAMAXIPort(data_width=width("m_axi_wdata"), address_width=32, id_width=width("m_axi_arid"))
        self.irq = Signal()
        write, read = ("id", "addr", "len", "size", "burst"), ("id", "data", "resp", "last")
        self.specials += Instance(
            "weft_core", i_clk=ClockSignal(), i_rst=ResetSignal(), o_irq=self.irq,
            **channels("s_axil", self.control, "i", aw=["addr", "prot"], w=["data", "strb"], b=["resp"], ar=["addr", "prot"], r=["data", "resp"]),
            **channels("m_axi", self.memory, "o", aw=write, w=["data", "strb", "last"], b=["id", "resp"], ar=write, r=read),
        )
        for file in (core / "weft_core.f").read_text().split():
            platform.add_source(str(core / file))


def channels(prefix, bus, requests, **fields):
    """The connections of an instance to the channels of a bus; its requests are inputs ("i") or outputs ("o")."""
    answers = {"i": "o", "o": "i"}[requests]
    ports = {}
    for name, of_channel in fields.items():
        forth, back = (requests, answers) if name in ("aw", "w", "ar") else (answers, requests)
        channel = getattr(bus, name)
        ports |= {f"{forth}_{prefix}_{name}{field}": getattr(channel, field) for field in ["valid", *of_channel]}
        ports[f"{back}_{prefix}_{name}ready"] = channel.ready
    return ports


class Clocks(LiteXModule):
    def __init__(self, clock):
        self.cd_sys = ClockDomain(reset_less=False)
        started = Signal(8)
        self.cd_start = ClockDomain(reset_less=True)
        self.comb += [self.cd_sys.clk.eq(clock), self.cd_start.clk.eq(clock), self.cd_sys.rst.eq(~started[7])]
        self.sync.start += If(~started[7], started.eq(started + 1))


class System(SoCCore):
    def __init__(self, out):
        platform = SimPlatform("SIM", PINS)
        self.crg = Clocks(platform.request("sys_clk"))
        SoCCore.__init__(self, platform, clk_freq=CLOCK, cpu_type="vexriscv", cpu_variant="standard", uart_name="sim",
                         integrated_rom_size=0x10000, integrated_sram_size=0x2000, with_timer=False)
        chips = MT48LC16M16(CLOCK, "1:1")
        self.sdrphy = SDRAMPHYModel(chips, data_width=32, clk_freq=CLOCK)
        self.add_sdram("sdram", phy=self.sdrphy, module=chips, origin=HOST_RAM, l2_cache_size=0)

        self.weft = Weft(platform, out / "core")
        self.bus.add_slave("weft", self.weft.control, SoCRegion(origin=CONTROL, size=self.weft.bytes, cached=False))
        port = self.sdram.crossbar.get_port(data_width=self.weft.memory.data_width)
        self.bridge = LiteDRAMAXI2Native(self.weft.memory, port, base_address=WEFT_RAM)
        self.comb += self.cpu.interrupt[INTERRUPT].eq(self.weft.irq)
        self.finish = CSRStorage()
        self.sync += If(self.finish.re, Finish())
        self.out = out

    def init_mems(self, **_):
        """LiteX has written its headers: compiles the software, and fills the ROM with it."""
        elf, binary = self.out / "host.elf", self.out / "host.bin"
        folders = [LITEX / "software/include", LITEX / "software/libbase", PROCESSOR, self.out / "soc/software/include", self.out / "core", self.out, DRIVER]
        files = [PROCESSOR / "crt0.S", HERE / "programs.S", HERE / "host.c", DRIVER / "weft.c"]
        options = ["-misa-spec=2.2", "-march=rv32im", "-mabi=ilp32", "-O2", "-Wall", "-ffreestanding", "-nostdlib", "-static", f"-T{HERE / 'host.ld'}"]
        subprocess.run([f"{PREFIX}gcc", *options, *(f"-I{folder}" for folder in folders), "-L", folders[3], *files, "-lgcc", "-o", elf], check=True)
        subprocess.run([f"{PREFIX}objcopy", "-O", "binary", elf, binary], check=True)
        self.init_rom("rom", contents=get_mem_data(str(binary), data_width=32, endianness="little"))


def main():
    out = pathlib.Path(sys.argv[1]).resolve()
    system = System(out)
    simulation = SimConfig()
    simulation.add_clocker("sys_clk", freq_hz=CLOCK)
    simulation.add_module("serial2console", "serial")
    builder = Builder(system, output_dir=str(out / "soc"), compile_software=False)
    builder.build(sim_config=simulation, interactive=False, verbose=False, opt_level="O1")


main()
