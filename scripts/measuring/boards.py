"""Bitstreams for the ULX3S: cores whose block RAM starts with the kernel `console`, and one that is loaded over the serial line."""

from measuring import tools
from measuring.clock import OUTCOMES
from measuring.failure import Failure
from measuring.markdown import table
from measuring.measurement import NIGHTLY, Measurement
from measuring.table import Table
from measuring.weft import sets

BOARD = "ulx3s"
KERNEL = "console"
FIGURES = ("outcome", "packed", "ff", "bram", "dsp", "fmax_mhz_median", "margin_mhz", "target_mhz")
# Its program comes over the serial line.
LOADED = "accelerator-4x4"
# Preset and settings of each core.
CORES = {
    "tiny-16-kib": ("tiny", ("memory.kind=bram", "memory.ram_bytes=16384"), "`tiny`, 16 KiB of block RAM", "1 × 1"),
    "bram-2x2": ("bram-4x4", ("warps=2", "threads=2"), "`bram-4x4`, smaller", "2 × 2"),
    "bram-4x4": ("bram-4x4", (), "`bram-4x4`", "4 × 4"),
    LOADED: ("accelerator", ("warps=4", "threads=4", "memory.ram_bytes=131072"), "`accelerator`, loaded over the serial line", "4 × 4"),
}


def measurements(weft):
    for name in CORES:
        yield measurement(weft, name)


def measurement(weft, name):
    preset, settings, *_ = CORES[name]
    words = ["synth", "--board", BOARD, "--preset", preset, *sets(settings), "--seeds", 1]

    def measure():
        tools.for_synthesis(weft.project.root)
        image = [] if name == LOADED else ["--image", weft.elf(KERNEL)]
        files = [*image, "--bitstream", weft.work / f"{name}.bit"]
        answer = weft.ask(*words, *files, accept=(0, 1))
        if "outcome" not in answer:
            raise Failure(f"no bitstream: {answer}")
        return {key: answer[key] for key in FIGURES}, tools.versions(answer["tools"])

    return Measurement(
        name=f"boards/{name}", set=NIGHTLY, estimate=300,
        command=" ".join(map(str, ["weft", "--json", *words, "--image", f"{KERNEL}.elf", "--bitstream", f"{name}.bit"])),
        depends=lambda: {"verilog": weft.verilog((*whole(weft, preset), *settings)), "kernels": weft.programs([KERNEL])}, measure=measure,
    )


def whole(weft, preset):
    """A preset as settings: those of its keys that are not at their defaults."""
    default, chosen = (flat(weft.ask("config", "--preset", name)) for name in ("default", preset))
    return [f"{key}={value}" for key, value in chosen.items() if default.get(key) != value]


def flat(config, prefix=""):
    found = {}
    for key, value in config.items():
        found |= flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": str(value).lower()}
    return found


def rows(shown):
    lines = []
    for result in shown.all():
        *_, what, size = CORES[result.name.partition("/")[2]]
        values = result.values
        if values["fmax_mhz_median"] is None:
            speed = [OUTCOMES.get(values["outcome"], values["outcome"]), "-"]
        else:
            speed = [f"{values['fmax_mhz_median']:.1f} MHz", f"{values['margin_mhz']:+.1f} MHz"]
        lines.append([what + shown.mark(result.name), size, *(values[key] for key in ("packed", "ff", "bram", "dsp")), *speed])
    return table(["core", "size", "LUT sites", "FF", "block RAM", "DSP", "fmax", f"beyond {target(shown)} MHz"], lines)


def target(shown):
    return f"{shown.all()[0].values['target_mhz']:g}"


TABLES = [Table("board", ["boards/*"], rows, f"`{BOARD}`, kernel `{KERNEL}`, one seed.")]
