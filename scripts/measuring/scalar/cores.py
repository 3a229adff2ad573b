"""The scalar cores of the yardstick, and where their Verilog is."""

import dataclasses
import re

from measuring import processes
from measuring.failure import Failure

FOLDER = "scripts/measuring/scalar"


@dataclasses.dataclass(frozen=True)
class Scalar:
    name: str
    title: str
    isa: str
    # The package of PyPI, the file in it, and the file next to this one that puts it behind the ports of the harness.
    package: str
    verilog: str
    around: str
    # The macro that selects a variant.
    define: str = ""

    @property
    def defines(self):
        return [f"-D{self.define}"] if self.define else []

    def files(self, project):
        """The Verilog of the core behind the ports of the harness, the outermost module first."""
        found = sorted(project.root.glob(f".venv/lib/python3*/site-packages/{self.package}/verilog/{self.verilog}"))
        if not found:
            raise Failure(f"{self.title} is not installed: ./scripts/setup.sh --yardstick")
        return [project.root / FOLDER / self.around, found[0]]


PICORV32 = ("pythondata_cpu_picorv32", "picorv32.v", "around_picorv32.v")
VEXRISCV = "pythondata_cpu_vexriscv"
SCALARS = (
    Scalar("picorv32", "PicoRV32", "rv32i", *PICORV32),
    Scalar("vexriscv-min", "VexRiscv min", "rv32i", VEXRISCV, "VexRiscv_Min.v", "around_vexriscv.v"),
    Scalar("picorv32-m", "PicoRV32 with M", "rv32im", *PICORV32, "WITH_M"),
    Scalar("vexriscv-lite", "VexRiscv lite", "rv32im", VEXRISCV, "VexRiscv_Lite.v", "around_vexriscv.v"),
    Scalar("vexriscv-standard", "VexRiscv standard", "rv32im", VEXRISCV, "VexRiscv.v", "around_vexriscv.v"),
)


def version(project, package):
    """The version of a package that scripts/setup.sh installs, such as pythondata-cpu-vexriscv 1.0."""
    name = package.replace("_", "-")
    setup = project.root / "scripts/setup.sh"
    found = re.search(rf"\b{name}==(\S+)", setup.read_text(encoding="utf-8")) if setup.is_file() else None
    if not found:
        raise Failure(f"{setup} has no version of {name}")
    return f"{name} {found[1]}"


def install(project):
    """Installs the cores into .venv unless they are there."""
    processes.run([str(project.root / "scripts/setup.sh"), "--yardstick"], cwd=project.root)
