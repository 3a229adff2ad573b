"""Names of cores, such as rv32im-8x4-sorted-table, and the settings that they stand for."""

import dataclasses

# A unit with pipeline stages of its own, in the notation of `weft compare --units`.
VARIANTS = ("arbiter:2",)
# Memory that a core has next to the default one.
MEMORIES = {
    "": (),
    "line-loads": ("memory.coalescer=line-loads",),
    "line": ("memory.coalescer=line",),
    "line-scratchpad": ("memory.coalescer=line", "scratchpad.bytes=16384", "scratchpad.atomics=false"),
    "accelerator": ("memory.kind=axi4", "icache.bytes=8192", "dcache.bytes=16384", "control.port=true"),
}
ISAS = {"rv32i": ("isa.m=false", "isa.a=false"), "rv32im": ("isa.a=false",), "rv32ima": ()}


@dataclasses.dataclass(frozen=True)
class Core:
    isa: str
    warps: int
    threads: int
    unit: str
    memory: str = ""

    @property
    def size(self):
        return f"{self.warps}x{self.threads}"

    @property
    def name(self):
        return "-".join(filter(None, [self.isa, self.size, self.unit.replace(":", "-"), self.memory]))

    @property
    def settings(self):
        """Of the core without trace port, as it is synthesised."""
        return (*size_of(self.warps, self.threads), *unit_of(self.unit), *ISAS[self.isa], *MEMORIES[self.memory], "trace.port=false")


def size_of(warps, threads):
    return f"warps={warps}", f"threads={threads}"


def unit_of(unit):
    name, _, stages = unit.partition(":")
    return (f"divergence.unit={name}", *([f"{name}.pipeline_stages={stages}"] if stages else []))
