//! The plug-in for RISCOF in `examples/riscof`, without RISCOF. Its commands compile a program in the style of the
//! architecture tests and write its signature.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{Ended, Workspace};

/// The parts of RISCOF that the plug-in needs.
const TEMPLATE: &str =
    "class pluginTemplate:\n    def __init__(self, *args, **kwargs):\n        self.name = kwargs['name']\n";

const UTILS: &str = "\
import subprocess

class makeUtil:
    def __init__(self, makefilePath):
        self.targets = []
    def add_target(self, commands):
        self.targets.append(commands)
    def execute_all(self, folder):
        for commands in self.targets:
            assert commands.startswith('@'), commands
            subprocess.run(commands[1:].replace('$$', '$'), shell=True, check=True, cwd=folder)
";

const MAIN: &str = "\
import os, sys
plugin, weft, engine, work = sys.argv[1:]
sys.path[:0] = [os.getcwd(), plugin]
from riscof_weft import weft as device
from riscof_weft_model import weft_model as reference
config = {'pluginpath': plugin, 'ispec': plugin + '/weft_isa.yaml', 'pspec': plugin + '/weft_platform.yaml',
          'PATH': weft, 'engine': engine, 'set': 'warps=2 threads=2 memory.outstanding=4'}
test = {'isa': 'RV32I', 'macros': ['TEST_CASE_1=True', 'XLEN=32'], 'test_path': os.getcwd() + '/add.S', 'work_dir': work}
for kind, name in [(device, 'DUT-weft:'), (reference, 'Reference-weft_model:')]:
    runner = kind(name=name, config=config)
    runner.initialise('suite', work, os.getcwd())
    runner.build(runner.isa_spec, runner.platform_spec)
    runner.runTests({'add': test})
";

/// A test with two sums after a data word, and a filler that stays unchanged.
const PROGRAM: &str = r#"
#include "model_test.h"
.section .text.init
.globl rvtest_entry_point
rvtest_entry_point:
RVMODEL_BOOT
#ifdef TEST_CASE_1
  la x5, begin_signature
  li x6, 0x7fffffff
  li x7, 1
  add x8, x6, x7
  sw x8, 0(x5)
  sub x8, x6, x7
  sw x8, 4(x5)
#endif
RVMODEL_HALT
.data
.word 0xbabecafe
RVMODEL_DATA_BEGIN
  .fill 4, 4, 0xdeadbeef
RVMODEL_DATA_END
"#;

#[test]
fn the_plug_in_leaves_the_signature_of_a_program() {
    let workspace = Workspace::new();
    fs::create_dir(workspace.join("riscof")).expect("a folder");
    let texts = [
        ("riscof/__init__.py", ""),
        ("riscof/pluginTemplate.py", TEMPLATE),
        ("riscof/utils.py", UTILS),
        ("main.py", MAIN),
        ("add.S", PROGRAM),
    ];
    for (name, text) in texts {
        workspace.write(name, text);
    }
    let plugin = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/riscof/weft");
    let weft = Path::new(env!("CARGO_BIN_EXE_weft")).parent().expect("a folder");
    for engine in ["rtl", "cosim"] {
        let work = workspace.join(engine);
        fs::create_dir(&work).expect("a folder");
        let output = Command::new("python3")
            .args(["-B", "main.py"])
            .args([&plugin, weft, Path::new(engine), &work])
            .current_dir(workspace.path())
            .env("WEFT_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"))
            .output()
            .expect("python3 starts");
        Ended::of(output).succeeded();
        for name in ["DUT-weft", "Reference-weft_model"] {
            let signature = fs::read_to_string(work.join(format!("{name}.signature"))).expect("a signature");
            assert_eq!(signature, "80000000\n7ffffffe\ndeadbeef\ndeadbeef\n", "{name}, {engine}");
        }
    }
}
