"""RISCOF plug-in: compiles each architecture test and runs it with `weft run --signature`, or `weft cosim`."""

import os
import shlex

import riscof.utils as utils
from riscof.pluginTemplate import pluginTemplate

ENGINES = {"rtl": "run --engine rtl", "model": "run --engine model", "cosim": "cosim"}


class weft(pluginTemplate):
    """A core of Weft, as device under test."""

    __model__ = "weft"
    __version__ = "0.1.0"

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        config = kwargs.get("config")
        if config is None:
            raise SystemExit("config.ini has no section for the plug-in weft")
        self.weft = os.path.join(os.path.abspath(config["PATH"]), "weft") if "PATH" in config else "weft"
        self.engine = config.get("engine", "cosim")
        if self.engine not in ENGINES:
            raise SystemExit(f"engine = {self.engine}: expected one of {', '.join(ENGINES)}")
        self.keys = config.get("set", "warps=1 threads=1").split()
        self.jobs = config.get("jobs", "1")
        self.folder = os.path.abspath(config["pluginpath"])
        # RISCOF reads these two names.
        self.isa_spec = os.path.abspath(config["ispec"])
        self.platform_spec = os.path.abspath(config["pspec"])

    def initialise(self, suite, work_dir, archtest_env):
        self.work_dir = work_dir
        self.includes = [os.path.join(self.folder, "env"), archtest_env]

    def build(self, isa_yaml, platform_yaml):
        """Does nothing: `weft` builds the core with the first test."""

    def compilation(self, test, elf):
        """Returns the command that compiles a test."""
        march = test["isa"].lower()
        words = ["riscv64-unknown-elf-gcc", f"-march={march}", "-mabi=ilp32", "-static", "-mcmodel=medany"]
        words += ["-nostdlib", "-nostartfiles", "-g", "-T", os.path.join(self.folder, "env", "link.ld")]
        words += [f"-I{folder}" for folder in self.includes]
        words += [f"-D{macro}" for macro in test["macros"]]
        return shlex.join([*words, test["test_path"], "-o", elf])

    def run(self, elf, signature):
        """Returns the command that runs a test."""
        settings = [word for key in self.keys for word in ("--set", key)]
        return shlex.join([self.weft, *ENGINES[self.engine].split(), elf, "--signature", signature, *settings])

    def runTests(self, testList):
        makefile = os.path.join(self.work_dir, "Makefile." + self.name[:-1])
        if os.path.exists(makefile):
            os.remove(makefile)
        make = utils.makeUtil(makefilePath=makefile)
        make.makeCommand = "make -k -j" + self.jobs
        for test in testList.values():
            signature = os.path.join(test["work_dir"], self.name[:-1] + ".signature")
            commands = [f"cd {shlex.quote(test['work_dir'])}", self.compilation(test, "weft.elf")]
            commands.append(f"{self.run('weft.elf', signature)} >weft.log 2>&1")
            # Make needs `$$` for a `$` of the shell.
            make.add_target("@" + " && ".join(commands).replace("$", "$$"))
        make.execute_all(self.work_dir)
