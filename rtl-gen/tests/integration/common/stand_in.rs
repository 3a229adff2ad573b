//! Stand-ins for Yosys, nextpnr and ecppack.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::{Ended, Workspace};

/// A Yosys that adds a line to `calls` for each run, an optional nextpnr, and a separate build cache.
pub struct StandIn {
    pub workspace: Workspace,
}

impl StandIn {
    /// Makes a Yosys that reports `cells` for every module.
    pub fn that_reports(cells: &str) -> Self {
        Self::that_does(&format!(
            "top=$(sed -n 's/^synth_ecp5 -top //p' script.ys)\n\
             echo '{{\"modules\":{{\"'$top'\":{{\"num_cells_by_type\":{{{cells}}}}}}}}}' >result.json"
        ))
    }

    pub fn that_does(commands: &str) -> Self {
        let stand_in = Self { workspace: Workspace::new() };
        fs::create_dir(stand_in.workspace.join("temporary")).expect("a folder");
        stand_in.install(
            "yosys",
            "echo 'Yosys 9.99 (stand-in)'",
            "sed -n 's/^synth_[a-z0-9]* .*-top //p' script.ys",
            commands,
        );
        stand_in
    }

    pub fn and_nextpnr(self, commands: &str) -> Self {
        let version = "echo '\"nextpnr-ecp5\" -- Next Generation Place and Route (Version nextpnr-9.99)' >&2";
        self.install("nextpnr", version, "echo \"$@\"", commands);
        self
    }

    pub fn and_ecppack(self, commands: &str) -> Self {
        self.install("ecppack", "echo 'Project Trellis ecppack Version 9.99'", "echo \"$@\"", commands);
        self
    }

    /// Installs a program that adds the output of `note` to `calls` for each run.
    fn install(&self, name: &str, version: &str, note: &str, commands: &str) {
        let calls = self.workspace.join("calls");
        let text = format!(
            "#!/bin/sh\nif [ \"$1\" = --version ]; then {version}; exit; fi\n\
             {note} >>'{}'\ntest='{}'\n{commands}\n",
            calls.display(),
            self.workspace.path().display()
        );
        let program = self.workspace.write(name, text);
        fs::set_permissions(program, fs::Permissions::from_mode(0o755)).expect("an executable file");
    }

    pub fn command(&self, arguments: &[&str]) -> std::process::Command {
        let mut command = self.workspace.command(&[&["synth"], arguments].concat());
        command.env("WEFT_YOSYS", self.workspace.join("yosys"));
        command.env("WEFT_NEXTPNR", self.workspace.join("nextpnr"));
        command.env("WEFT_ECPPACK", self.workspace.join("ecppack"));
        command.env("WEFT_CACHE", self.workspace.join("cache"));
        command.env("TMPDIR", self.workspace.join("temporary"));
        command
    }

    pub fn synth(&self, arguments: &[&str]) -> Ended {
        Ended::of(self.command(arguments).output().expect("weft starts"))
    }

    /// Returns the tops of the Yosys runs and the arguments of the nextpnr runs so far, in order.
    pub fn calls(&self) -> Vec<String> {
        let text = fs::read_to_string(self.workspace.join("calls")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}
