"""The bundled kernels for scalar cores: the same C and compiler options, with the CSRs of Weft rewritten.

A task is what a Weft core of WARPS x THREADS does in one run of a kernel. Kernels differ in how a scalar core does the same:

- The threads share a fixed amount of work: the core runs the kernel as the only hart.
- Each thread has work of its own and waits for no other: the core runs the kernel for one hart after another.

Other kernels are left out.
"""

import dataclasses
import os
import re
import struct

from measuring import processes
from measuring.failure import Failure
from measuring.weft import sets

WARPS, THREADS = 8, 8
HARTS = WARPS * THREADS
# The work is fixed if so many harts execute less than this many times the instructions of one.
FIXED = 2
# VexRiscv caches no address from 0x80000000 on, where Weft has its RAM.
RAM, RAM_BYTES = 0x40000000, 16 << 20
# Why kernels are left out.
ATOMIC = "atomic operations"
OTHER_CSRS = "other CSRs than those of sizes, hart and barrier"
GROWS = "barriers, and work that grows with the harts"

SYSTEM, NOP = 0x73, 0x13
WRITE, SET = 1, 2
HART, OF_THREADS, OF_WARPS, BARRIER = 0xF14, 0xCC0, 0xCC1, 0x801


class LeftOut(Exception):
    """A kernel that a scalar core does not run as it is."""


@dataclasses.dataclass(frozen=True)
class Task:
    kernel: str
    isa: str
    # Harts that run one after another.
    harts: int


def tasks(weft):
    """The tasks by kernel, and the reasons why other kernels are left out."""
    return weft.once("tasks", lambda: find(weft))


def of_isa(weft, isa):
    """The tasks that cores with these instructions run: with M, those without M too."""
    return {kernel: task for kernel, task in tasks(weft)[0].items() if task.isa in ("rv32i", isa)}


def find(weft):
    found, left_out = {}, {}
    for kernel, about in weft.kernels().items():
        try:
            found[kernel] = task(weft, kernel, about["settings"])
        except LeftOut as reason:
            left_out[kernel] = str(reason)
    return found, left_out


def task(weft, kernel, settings):
    if "isa.a=true" in settings:
        raise LeftOut(ATOMIC)
    isa = "rv32im" if "isa.m=true" in settings else "rv32i"
    one, all_of = (thread_instructions(weft, kernel, settings, *size) for size in ((1, 1), (WARPS, THREADS)))
    found = Task(kernel, isa, 1 if all_of < FIXED * one else HARTS)
    _, barrier = rewritten(sections(build(weft, found)), found)
    if barrier and found.harts > 1:
        raise LeftOut(GROWS)
    return found


def thread_instructions(weft, kernel, settings, warps, threads):
    options = sets([f"warps={warps}", f"threads={threads}", *settings])
    answer = weft.ask("run", "--engine", "model", "--untimed", weft.elf(kernel), *options)
    return answer["thread_instructions"]


def compiler():
    return os.environ.get("WEFT_RISCV_GCC", "riscv64-unknown-elf-gcc")


def options(project):
    """The options with which `weft kernels build` compiles."""
    text = (project.root / "testbench/kernels/src/build.rs").read_text(encoding="utf-8")
    flags, machine = (re.search(rf"const {name}:[^=]*= &?\[(.*?)\];", text, re.DOTALL) for name in ("FLAGS", "MACHINE"))
    if not flags or not machine:
        raise Failure("testbench/kernels/src/build.rs has no list FLAGS or MACHINE")
    return [*re.findall(r'"(-[^"]+)"', machine[1]), *re.findall(r'"(-[^"]+)"', flags[1])]


def build(weft, of_task):
    """Compiles a kernel for RAM at another address, with a start for scalar cores."""
    root = weft.project.root
    folder = weft.work / "scalar" / f"{of_task.kernel}-{of_task.harts}"
    folder.mkdir(parents=True, exist_ok=True)
    script = (root / "testbench/runtime/link.ld").read_text(encoding="utf-8")
    (folder / "link.ld").write_text(script, encoding="utf-8")
    flags = [f"-march={of_task.isa}", *options(weft.project)]
    library = processes.run([compiler(), *flags[:3], "-print-libgcc-file-name"]).stdout.strip()
    symbols = {"__ram_base": RAM, "__harts": of_task.harts, "__stack_end": RAM + RAM_BYTES}
    processes.run([
        compiler(), *flags, *(f"-Wl,--defsym={name}={value:#x}" for name, value in symbols.items()),
        f"-I{root / 'testbench/runtime'}", str(root / "scripts/measuring/scalar/start.S"),
        str(root / "testbench/runtime/string.c"), str(root / f"testbench/kernels/{of_task.kernel}.c"), library,
        "-o", "program.elf",
    ], cwd=folder)
    return folder / "program.elf"


@dataclasses.dataclass
class Section:
    address: int
    content: bytes
    executable: bool


def sections(elf):
    """The sections of a 32-bit ELF file that are loaded."""
    data = elf.read_bytes()
    start, = struct.unpack_from("<I", data, 32)
    size, number = struct.unpack_from("<HH", data, 46)
    found = []
    for index in range(number):
        _, kind, flags, address, offset, length = struct.unpack_from("<6I", data, start + index * size)
        # SHT_PROGBITS and the like of SHF_ALLOC; not SHT_NOBITS.
        if flags & 2 and kind != 8:
            found.append(Section(address, data[offset : offset + length], bool(flags & 4)))
    return found


def rewritten(of_program, of_task):
    """The sections with CSR instructions replaced, and whether there is a barrier among them."""
    sizes = (1, 1) if of_task.harts == 1 else (WARPS, THREADS)
    found, barrier = [], False
    for section in of_program:
        content = section.content
        if section.executable:
            words = struct.unpack(f"<{len(content) // 4}I", content)
            barrier |= any(word & 0x7F == SYSTEM and word >> 20 == BARRIER for word in words)
            content = struct.pack(f"<{len(words)}I", *(instead(word, *sizes) for word in words))
        found.append(Section(section.address, content, section.executable))
    return found, barrier


def instead(word, warps, threads):
    """An instruction of the same size without CSRs: reads give constants, or the register in which start.S has the hart."""
    form = word >> 12 & 7
    if word & 0x7F != SYSTEM or form == 0:
        return word
    csr, source, destination = word >> 20, word >> 15 & 31, word >> 7 & 31
    if form == SET and source == 0 and csr in (HART, OF_THREADS, OF_WARPS):
        if csr == HART:
            return add_immediate(destination, 4, 0)
        return add_immediate(destination, 0, threads if csr == OF_THREADS else warps)
    if form == WRITE and source == 0 and destination == 0 and csr == BARRIER:
        # A single hart never waits.
        return NOP
    raise LeftOut(OTHER_CSRS)


def add_immediate(destination, source, value):
    return value << 20 | source << 15 | destination << 7 | 0x13


def image(weft, of_task):
    """The file with the content of RAM from its begin on."""
    return weft.once(("image", of_task), lambda: write_image(weft, of_task))


def write_image(weft, of_task):
    elf = build(weft, of_task)
    content = bytearray()
    for section in rewritten(sections(elf), of_task)[0]:
        begin = section.address - RAM
        content.extend(bytes(max(0, begin + len(section.content) - len(content))))
        content[begin : begin + len(section.content)] = section.content
    path = elf.with_suffix(".bin")
    path.write_bytes(content)
    return path
