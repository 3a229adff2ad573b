//! The text of each kind of item: declarations, assignments, instances, clocked blocks.

use crate::MemoryStyle;
use crate::emit::printed_name;
use crate::expr::Expr;
use crate::module::{
    Driver, Finished, InstanceData, Item, MemoryData, PortData, PropertyData, PropertyKind, RegisterData, WriteData,
};
use crate::net::{Net, NetKind};
use crate::print::{after, broken, flat, literal, range};
use crate::sheet::Sheet;

/// `wire [7:0] name;`
pub(crate) fn declaration(kind: &str, net: &Net) -> String {
    format!("    {kind} {}{};\n", range(net.width), net.name)
}

/// `reg [7:0] name;`, with what it starts at.
pub(crate) fn register(register: &RegisterData) -> String {
    let RegisterData { net, start, .. } = register;
    let start = start.as_ref().map_or(String::new(), |value| format!(" = {}", literal(net.width, value)));
    format!("    reg  {}{}{start};\n", range(net.width), net.name)
}

/// What drives a wire, after `head`.
pub(crate) fn drive(finished: &Finished, head: &str, driver: &Driver) -> String {
    match driver {
        Driver::Value(value) => format!("{};\n", after(head, value, 4)),
        Driver::Memory { memory, address } => {
            format!("{head}{};\n", word(&finished.body.memories[*memory], address, 4, head.len()))
        }
        Driver::Known(_) | Driver::Instance => unreachable!("driven by a block or by the port of an instance"),
    }
}

/// The name of the block that drives a net of [`Builder::known`](crate::Builder::known).
pub(crate) fn known_block(name: &str) -> String {
    format!("known_{name}")
}

/// The block that drives a net with the bits of another, of which X and Z become 0.
pub(crate) fn known(net: &Net, value: &Expr) -> String {
    let (name, source) = (&net.name, flat(value));
    let statement = |bit: &str| format!("if ({source}{bit}) {name}{bit} = 1'b1;\n{{}}else {name}{bit} = 1'b0;\n");
    let body = if net.width == 1 {
        format!("        {}", statement("").replace("{}", "        "))
    } else {
        let head = format!("for (number = 0; number < {}; number = number + 1)", net.width);
        let inner = statement("[number]").replace("{}", "            ");
        format!("        {head} begin\n            {inner}        end\n")
    };
    let number = if net.width == 1 { "" } else { "        integer number;\n" };
    format!("    always @* begin : {}\n{number}{body}    end\n", known_block(name))
}

/// A word of a memory, in a statement at `indent` after `used` columns.
fn word(memory: &MemoryData, address: &Expr, indent: usize, used: usize) -> String {
    let used = used + memory.name.len() + 3;
    let address = if address.width() == 0 { "0".to_owned() } else { broken(address, indent, used) };
    let end = if address.starts_with('\n') { format!("\n{}]", " ".repeat(indent)) } else { "]".to_owned() };
    format!("{}[{address}{end}", memory.name)
}

pub(crate) fn memory(memory: &MemoryData) -> String {
    let (style, how) = match memory.style {
        MemoryStyle::Block => ("ram_style = \"block\"", "block RAM: registered reads, old data on a collision"),
        MemoryStyle::BlockUnordered => {
            ("ram_style = \"block\", no_rw_check", "block RAM: registered reads, no word read while it is written")
        }
        // In capitals, as AMD's tools take it and Yosys does not: there `ram_style` is fatal where a family has no LUT RAM.
        MemoryStyle::Distributed => ("RAM_STYLE = \"distributed\"", "LUT RAM: reads in the same cycle"),
    };
    let MemoryData { name, depth, width, image, .. } = memory;
    let initial = image.as_ref().map_or(String::new(), |file| format!("    initial $readmemh(\"{file}\", {name});\n"));
    let (range, last) = (range(*width), depth - 1);
    let array = format!("    reg  {range}{name} [0:{last}];\n");
    let array = if memory.writes.is_empty() && image.is_none() {
        format!("    /* verilator lint_off UNDRIVEN */\n{array}    /* verilator lint_on UNDRIVEN */\n")
    } else {
        array
    };
    format!("    // {depth} x {width} bits, {how}\n    (* {style} *)\n{array}{initial}")
}

/// The wires that an instance brings along.
pub(crate) fn instance_outputs(data: &InstanceData) -> String {
    let own = data.outputs.iter().flatten().filter(|net| net.kind == NetKind::InstanceOutput);
    own.map(|net| declaration("wire", net)).collect()
}

pub(crate) fn instance(data: &InstanceData, prefix: &str) -> String {
    let ports = data.module.port_list();
    let widest = ports.iter().map(|port| port.name.len()).max().unwrap_or(0);
    let connections: Vec<String> = ports
        .iter()
        .enumerate()
        .map(|(position, port)| {
            let value = match (&data.inputs[position], &data.outputs[position]) {
                (Some(value), _) => broken(value, 8, 12 + widest),
                (None, Some(net)) => net.name.clone(),
                (None, None) => port.name.clone(),
            };
            format!("        .{:<widest$} ({value})", port.name)
        })
        .collect();
    let parameters = parameters(data.module.finished().body.external.as_deref().unwrap_or_default());
    let name = printed_name(&data.module, prefix);
    format!("    {name} {parameters}{} (\n{}\n    );\n", data.name, connections.join(",\n"))
}

/// `#(…) `, or nothing if there are none.
fn parameters(parameters: &[(String, String)]) -> String {
    let widest = parameters.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let lines: Vec<String> =
        parameters.iter().map(|(name, value)| format!("        .{name:<widest$} ({value})")).collect();
    if lines.is_empty() { String::new() } else { format!("#(\n{}\n    ) ", lines.join(",\n")) }
}

/// `if (condition) begin`, or without a condition nothing.
fn guarded(indent: usize, head: &str, condition: &Expr, body: &str) -> String {
    let pad = " ".repeat(indent);
    let condition = broken(condition, indent, indent + head.len() + 10);
    format!("{pad}{head}if ({condition}) begin\n{body}{pad}end\n")
}

/// Registers that share enable and reset.
pub(crate) fn register_block(group: &[&RegisterData]) -> String {
    let nexts = |indent: usize| -> String {
        let assign = |register: &&RegisterData| {
            let head = format!("{}{} <= ", " ".repeat(indent), register.net.name);
            Some(format!("{};\n", after(&head, register.next.as_ref()?, indent)))
        };
        group.iter().filter_map(assign).collect()
    };
    let reset = |register: &&RegisterData| {
        let value = literal(register.net.width, register.reset.as_ref()?);
        Some(format!("            {} <= {value};\n", register.net.name))
    };
    let resets: String = group.iter().filter_map(reset).collect();
    let enable = group[0].enable.as_ref().filter(|enable| !enable.is_ones());
    let body = match (resets.as_str(), enable) {
        ("", None) => nexts(8),
        ("", Some(enable)) => guarded(8, "", enable, &nexts(12)),
        (_, None) => {
            format!("        if (rst) begin\n{resets}        end else begin\n{}        end\n", nexts(12))
        }
        (_, Some(enable)) => {
            let otherwise = guarded(8, "end else ", enable, &nexts(12));
            format!("        if (rst) begin\n{resets}{otherwise}")
        }
    };
    clocked(&body)
}

pub(crate) fn memory_block(finished: &Finished, memory: &MemoryData) -> String {
    let mut body = String::new();
    for WriteData { enable, address, data, part } in &memory.writes {
        let bits = part.map_or(String::new(), |lowest| bits(lowest, data.width()));
        let write = |indent: usize| {
            let target = word(memory, address, indent, indent + bits.len() + 4);
            let head = format!("{}{target}{bits} <= ", " ".repeat(indent));
            format!("{};\n", after(&head, data, indent))
        };
        body += &if enable.is_ones() { write(8) } else { guarded(8, "", enable, &write(12)) };
    }
    for (net, address) in memory.reads.iter().filter(|(net, _)| finished.is_alive(net)) {
        let head = format!("        {} <= ", net.name);
        body += &format!("{head}{};\n", word(memory, address, 8, head.len()));
    }
    if body.is_empty() { body } else { clocked(&body) }
}

/// A selection of `width` bits from `lowest` up.
fn bits(lowest: usize, width: usize) -> String {
    if width == 1 { format!("[{lowest}]") } else { format!("[{}:{lowest}]", lowest + width - 1) }
}

/// The properties: at every clock edge out of reset, or at all times where the module has no clock.
pub(crate) fn properties(finished: &Finished, sheet: &mut Sheet) {
    if finished.body.properties.is_empty() {
        return;
    }
    let statements = |indent: usize| -> String {
        let statement = |property: &PropertyData| {
            let keyword = match property.kind {
                PropertyKind::Assert => "assert",
                PropertyKind::Assume => "assume",
                PropertyKind::Cover => "cover",
            };
            let head = format!("{}{}: {keyword} (", " ".repeat(indent), property.name);
            format!("{head}{});\n", broken(&property.condition, indent, head.len() + 2))
        };
        finished.body.properties.iter().map(statement).collect()
    };
    sheet.gap();
    sheet.comment("    ", "Properties.");
    sheet.lines(&match (finished.has_implicit("clk"), finished.has_implicit("rst")) {
        (false, _) => format!("    always @* begin\n{}    end\n", statements(8)),
        (true, false) => clocked(&statements(8)),
        (true, true) => clocked(&format!("        if (!rst) begin\n{}        end\n", statements(12))),
    });
}

fn clocked(body: &str) -> String {
    format!("    always @(posedge clk) begin\n{body}    end\n")
}

/// Bits that nothing reads, gathered so that a linter sees that it is meant.
pub(crate) fn unread(finished: &Finished, sheet: &mut Sheet) {
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
    for item in &finished.body.items {
        match item {
            Item::Wire { net, driver: Some(Driver::Instance) } => add(net),
            Item::Wire { net, .. } if finished.is_alive(net) => add(net),
            Item::Register(index) if finished.is_alive(&finished.body.registers[*index].net) => {
                add(&finished.body.registers[*index].net);
            }
            Item::MemoryRead { memory, read } => {
                let net = &finished.body.memories[*memory].reads[*read].0;
                if finished.is_alive(net) {
                    add(net);
                }
            }
            Item::Instance(data) => {
                data.outputs
                    .iter()
                    .flatten()
                    .filter(|net| net.kind == NetKind::InstanceOutput)
                    .for_each(|net| add(net));
            }
            _ => {}
        }
    }
    if parts.is_empty() {
        return;
    }
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if line.len() + part.len() < 80 => *line += &format!(", {part}"),
            _ => lines.push(part),
        }
    }
    sheet.gap();
    sheet.comment("    ", "Read by nobody.");
    sheet.lines(&format!("    wire unused = &{{1'b0, {}}};\n", lines.join(",\n        ")));
}
