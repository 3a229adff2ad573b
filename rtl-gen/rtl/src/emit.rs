//! Modules as Verilog-2005 text: a [`Probe`] walks the hierarchy and writes one module for each kind.

use std::cell::RefCell;
use std::collections::HashSet;

use num_bigint::BigUint;
use rust_hdl::core::ast::Verilog;
use rust_hdl::core::block::Block;
use rust_hdl::core::probe::Probe;

use crate::MemoryStyle;
use crate::expr::Expr;
use crate::hierarchy::{Kind, Purpose};
use crate::module::{Driver, Finished, InstanceData, Item, MemoryData, Module, PortData, RegisterData};
use crate::net::Net;
use crate::print::{broken, flat, literal, range};

/// The text of one module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleText {
    /// Name of the module.
    pub name: String,
    /// Its comment and its `module` … `endmodule`.
    pub text: String,
}

impl Module {
    /// The text of every module of the hierarchy, each once, below before above.
    pub fn verilog(&self) -> Vec<ModuleText> {
        let mut printer = Printer::default();
        let visited = RefCell::new(HashSet::new());
        Kind { module: self, purpose: Purpose::Print, visited: &visited }.accept(self.name(), &mut printer);
        printer.0
    }
}

/// A file of its own for one module: `header` (comment lines), net-type guard, text.
pub fn file(header: &str, module: &ModuleText) -> String {
    format!("{header}\n`default_nettype none\n\n{}\n`default_nettype wire\n", module.text)
}

/// One file for all modules.
pub fn single_file(header: &str, modules: &[ModuleText]) -> String {
    let texts: Vec<&str> = modules.iter().map(|m| m.text.as_str()).collect();
    format!(
        "{header}\n/* verilator lint_off DECLFILENAME */\n`default_nettype none\n\n{}\n`default_nettype wire\n",
        texts.join("\n")
    )
}

#[derive(Default)]
struct Printer(Vec<ModuleText>);

impl Probe for Printer {
    fn visit_end_scope(&mut self, name: &str, node: &dyn Block) {
        if let Verilog::Custom(text) = node.hdl() {
            self.0.push(ModuleText { name: name.to_owned(), text });
        }
    }
}

/// The whole text of one module.
pub(crate) fn module(module: &Module) -> String {
    let finished = module.finished();
    let mut out = String::new();
    for line in finished.body.purpose.lines() {
        out += format!("// {line}").trim_end();
        out += "\n";
    }
    out += &format!("module {} (\n{});\n", module.name(), ports(finished));
    for item in visible_items(finished) {
        out += &declaration(finished, item);
    }
    out += &clocked_blocks(finished);
    out += &outputs(finished);
    out += &unread(finished);
    out + "endmodule\n"
}

fn ports(finished: &Finished) -> String {
    let mut lines: Vec<(Option<&str>, String)> = Vec::new();
    for (name, present) in [("clk", finished.clocked), ("rst", finished.reset)] {
        if present {
            lines.push((None, format!("input  wire {name}")));
        }
    }
    let mut group = None;
    for port in &finished.body.ports {
        let line = match port {
            PortData::Group(comment) => {
                group = Some(comment.as_str());
                continue;
            }
            PortData::Input(net) => format!("input  wire {}{}", range(net.width), net.name),
            PortData::Output { name, width, .. } => format!("output wire {}{name}", range(*width)),
        };
        lines.push((group.take(), line));
    }
    let last = lines.len().saturating_sub(1);
    let mut out = String::new();
    for (position, (group, line)) in lines.iter().enumerate() {
        if let Some(comment) = group {
            let blank = if position > 0 { "\n" } else { "" };
            out += &format!("{blank}    // {comment}\n");
        }
        out += &format!("    {line}{}\n", if position < last { "," } else { "" });
    }
    out
}

fn alive(finished: &Finished, net: &Net) -> bool {
    finished.alive.contains(&net.id)
}

fn memory_is_read(finished: &Finished, index: usize) -> bool {
    let registered = finished.body.memories[index].reads.iter().any(|(net, _)| alive(finished, net));
    registered
        || finished.body.items.iter().any(|item| match item {
            Item::Wire { net, driver: Some(Driver::Memory { memory, .. }) } => *memory == index && alive(finished, net),
            _ => false,
        })
}

/// The items that something reads, without comments that have nothing left below them.
fn visible_items(finished: &Finished) -> Vec<&Item> {
    let mut out: Vec<&Item> = Vec::new();
    for item in &finished.body.items {
        let visible = match item {
            Item::Comment(_) => {
                if let Some(Item::Comment(_)) = out.last() {
                    out.pop();
                }
                true
            }
            Item::Wire { driver: Some(Driver::Instance), .. } | Item::Instance(_) => true,
            Item::Wire { net, .. } => alive(finished, net),
            Item::Register(index) => alive(finished, &finished.body.registers[*index].net),
            Item::Memory(index) => memory_is_read(finished, *index),
            Item::MemoryRead { memory, read } => alive(finished, &finished.body.memories[*memory].reads[*read].0),
        };
        if visible {
            out.push(item);
        }
    }
    if let Some(Item::Comment(_)) = out.last() {
        out.pop();
    }
    out
}

fn declaration(finished: &Finished, item: &Item) -> String {
    match item {
        Item::Comment(text) => {
            let lines: String = text.lines().map(|line| format!("    // {line}\n")).collect();
            format!("\n{lines}")
        }
        Item::Wire { net, driver: Some(driver) } => wire(finished, net, driver),
        Item::Wire { net, driver: None } => unreachable!("`{}` was checked to have a value", net.name),
        Item::Register(index) => {
            let net = &finished.body.registers[*index].net;
            format!("    reg  {}{};\n", range(net.width), net.name)
        }
        Item::Memory(index) => memory_declaration(&finished.body.memories[*index]),
        Item::MemoryRead { memory, read } => {
            let net = &finished.body.memories[*memory].reads[*read].0;
            format!("    reg  {}{};\n", range(net.width), net.name)
        }
        Item::Instance(data) => instance(data),
    }
}

fn wire(finished: &Finished, net: &Net, driver: &Driver) -> String {
    let head = format!("    wire {}{}", range(net.width), net.name);
    match driver {
        Driver::Value(value) => {
            let head = head + " = ";
            let text = broken(value, 4, head.len());
            let head = if text.starts_with('\n') { head.trim_end() } else { &head };
            format!("{head}{text};\n")
        }
        Driver::Memory { memory, address } => {
            format!("{head} = {};\n", word(&finished.body.memories[*memory], address))
        }
        Driver::Instance => head + ";\n",
    }
}

fn word(memory: &MemoryData, address: &Expr) -> String {
    let address = if address.width() == 0 { "0".to_owned() } else { flat(address) };
    format!("{}[{address}]", memory.name)
}

fn memory_declaration(memory: &MemoryData) -> String {
    let (style, how) = match memory.style {
        MemoryStyle::Block => ("block", "block RAM: registered reads, old data on a collision"),
        MemoryStyle::Distributed => ("distributed", "LUT RAM: reads in the same cycle"),
    };
    format!(
        "    // {} x {} bits, {how}\n    (* ram_style = \"{style}\" *)\n    reg  {}{} [0:{}];\n",
        memory.depth,
        memory.width,
        range(memory.width),
        memory.name,
        memory.depth - 1
    )
}

fn instance(data: &InstanceData) -> String {
    let mut out = String::from("\n");
    for (_, net) in &data.outputs {
        if net.kind == crate::net::NetKind::InstanceOutput {
            out += &format!("    wire {}{};\n", range(net.width), net.name);
        }
    }
    let ports = data.module.ports();
    let widest = ports.iter().map(|p| p.name.len()).max().unwrap_or(0);
    let connections: Vec<String> = ports
        .iter()
        .map(|port| {
            let value = match data.inputs.iter().find(|(name, _)| *name == port.name) {
                Some((_, value)) => broken(value, 8, 12 + widest),
                None => match data.outputs.iter().find(|(name, _)| *name == port.name) {
                    Some((_, net)) => net.name.clone(),
                    None if port.name == "clk" || port.name == "rst" => port.name.clone(),
                    None => String::new(),
                },
            };
            format!("        .{:<widest$} ({value})", port.name)
        })
        .collect();
    out + &format!("    {} {} (\n{}\n    );\n", data.module.name(), data.name, connections.join(",\n"))
}

/// Registers that share enable and reset, in one block; then the memories.
fn clocked_blocks(finished: &Finished) -> String {
    let mut groups: Vec<Vec<&RegisterData>> = Vec::new();
    for register in finished.body.registers.iter().filter(|r| alive(finished, &r.net)) {
        match groups.last_mut() {
            Some(group) if same_control(group[0], register) => group.push(register),
            _ => groups.push(vec![register]),
        }
    }
    let registers = groups.iter().map(|group| register_block(group));
    let memories = finished.body.memories.iter().enumerate();
    let memories = memories.filter(|(index, _)| memory_is_read(finished, *index));
    registers.chain(memories.map(|(_, memory)| memory_block(finished, memory))).collect()
}

fn same_control(a: &RegisterData, b: &RegisterData) -> bool {
    a.enable.as_ref().map(flat) == b.enable.as_ref().map(flat) && a.reset.is_some() == b.reset.is_some()
}

fn register_block(group: &[&RegisterData]) -> String {
    let assign = |indent: usize, name: &str, value: &str| format!("{}{name} <= {value};\n", " ".repeat(indent));
    let nexts = |indent: usize| -> String {
        group
            .iter()
            .filter_map(|r| {
                let next = r.next.as_ref()?;
                Some(assign(indent, &r.net.name, &broken(next, indent, indent + r.net.name.len() + 4)))
            })
            .collect()
    };
    let resets = |indent: usize| -> String {
        let value = |r: &&RegisterData| Some((r.net.clone(), r.reset.clone()?));
        group
            .iter()
            .filter_map(value)
            .map(|(net, v): (_, BigUint)| assign(indent, &net.name, &literal(net.width, &v)))
            .collect()
    };
    let enable = group[0].enable.as_ref().map(flat);
    let body = match (group[0].reset.is_some(), enable) {
        (false, None) => nexts(8),
        (false, Some(enable)) => format!("        if ({enable}) begin\n{}        end\n", nexts(12)),
        (true, None) => {
            format!("        if (rst) begin\n{}        end else begin\n{}        end\n", resets(12), nexts(12))
        }
        (true, Some(enable)) => {
            format!(
                "        if (rst) begin\n{}        end else if ({enable}) begin\n{}        end\n",
                resets(12),
                nexts(12)
            )
        }
    };
    format!("\n    always @(posedge clk) begin\n{body}    end\n")
}

fn memory_block(finished: &Finished, memory: &MemoryData) -> String {
    let mut body = String::new();
    for (enable, address, data) in &memory.writes {
        let target = word(memory, address);
        let used = target.len() + 16;
        body += &format!(
            "        if ({}) begin\n            {target} <= {};\n        end\n",
            flat(enable),
            broken(data, 12, used)
        );
    }
    for (net, address) in memory.reads.iter().filter(|(net, _)| alive(finished, net)) {
        body += &format!("        {} <= {};\n", net.name, word(memory, address));
    }
    format!("\n    always @(posedge clk) begin\n{body}    end\n")
}

fn outputs(finished: &Finished) -> String {
    let assigns = finished.body.ports.iter().filter_map(|port| match port {
        PortData::Output { name, driver: Some(value), .. } => {
            let head = format!("    assign {name} = ");
            let text = broken(value, 4, head.len());
            let head = if text.starts_with('\n') { head.trim_end() } else { &head };
            Some(format!("{head}{text};\n"))
        }
        _ => None,
    });
    let text: String = assigns.collect();
    if text.is_empty() { text } else { format!("\n{text}") }
}

/// Bits that nothing reads, gathered so that a linter sees that it is meant.
fn unread(finished: &Finished) -> String {
    let mut parts = Vec::new();
    let mut add = |net: &Net| {
        let Some(bits) = finished.read_bits.get(&net.id) else {
            parts.push(net.name.clone());
            return;
        };
        let mut at = 0;
        while at < net.width {
            let run = bits[at..].iter().take_while(|read| !**read).count();
            match run {
                0 => at += 1,
                1 => parts.push(format!("{}[{at}]", net.name)),
                _ => parts.push(format!("{}[{}:{at}]", net.name, at + run - 1)),
            }
            at += run;
        }
    };
    for port in &finished.body.ports {
        if let PortData::Input(net) = port {
            add(net);
        }
    }
    for item in visible_items(finished) {
        match item {
            Item::Wire { net, .. } => add(net),
            Item::Register(index) => add(&finished.body.registers[*index].net),
            Item::MemoryRead { memory, read } => add(&finished.body.memories[*memory].reads[*read].0),
            Item::Instance(data) => {
                for (_, net) in data.outputs.iter().filter(|(_, net)| net.kind == crate::net::NetKind::InstanceOutput) {
                    add(net);
                }
            }
            _ => {}
        }
    }
    if parts.is_empty() {
        return String::new();
    }
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if line.len() + part.len() < 90 => *line += &format!(", {part}"),
            _ => lines.push(part),
        }
    }
    format!("\n    // read by nobody\n    wire unused = &{{1'b0, {}}};\n", lines.join(",\n        "))
}
