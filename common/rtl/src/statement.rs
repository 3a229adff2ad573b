//! The text of each kind of item: declarations, assignments, instances, clocked blocks.

use num_bigint::BigUint;

use crate::MemoryStyle;
use crate::each::{Each, Numbers, template};
use crate::emit::printed_name;
use crate::expr::Expr;
use crate::module::{
    CaseRow, Driver, Finished, InstanceData, Item, MemoryData, PropertyData, PropertyKind, ReadData, RegisterData,
    WriteData,
};
use crate::net::Net;
use crate::print::{LINE, after, broken, filled, flat, literal, part, range};
use crate::sheet::Sheet;

/// Declares a net, unless the list of ports declares it.
pub(crate) fn declare(sheet: &mut Sheet, kind: &str, net: &Net) {
    if net.port.get().is_none() {
        sheet.declare(format!("{kind} {}", range(net.width)).trim_end(), &net.name);
    }
}

/// Declares wires, those of one width together, in the order in which the widths appear.
pub(crate) fn declare_wires<'a>(sheet: &mut Sheet, nets: impl Iterator<Item = &'a Net>) {
    let mut rest: Vec<&Net> = nets.collect();
    while let Some(width) = rest.first().map(|net| net.width) {
        rest.extract_if(.., |net| net.width == width).for_each(|net| declare(sheet, "wire", net));
    }
}

pub(crate) fn register(sheet: &mut Sheet, register: &RegisterData) {
    let RegisterData { net, start, .. } = register;
    match start {
        Some(start) => {
            sheet.lines(&format!("    reg {}{} = {};\n", range(net.width), net.name, literal(net.width, start)));
        }
        None => declare(sheet, "reg", net),
    }
}

pub(crate) fn drive(finished: &Finished, head: &str, driver: &Driver) -> String {
    match driver {
        Driver::Value(value) => format!("{};\n", after(head, value, 4)),
        Driver::Memory { memory, address } => {
            format!("{head}{};\n", word(&finished.body.memories[*memory], address, 4, head.len()))
        }
        Driver::Known(_) | Driver::Matches(..) | Driver::Each(..) | Driver::Instance => {
            unreachable!("driven by a block, by a loop or by the port of an instance")
        }
    }
}

/// Returns the name of the block that drives a net of [`Builder::known`](crate::Builder::known).
pub(crate) fn known_block(name: &str) -> String {
    format!("known_{name}")
}

/// Prints the block that copies a net with X and Z bits turned into 0.
pub(crate) fn known(net: &Net, value: &Expr) -> String {
    let (name, source) = (&net.printed(), flat(value));
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

/// Prints the `casez` block of [`Builder::matches`](crate::Builder::matches).
pub(crate) fn matches(net: &Net, value: &Expr, rows: &[CaseRow]) -> String {
    let name = &net.name;
    let line = |(number, row): (usize, &CaseRow)| {
        let last = number + 1 == rows.len();
        format!("            {}{} // {}\n", row.bits, if last { ":" } else { "," }, row.label)
    };
    let lines: String = rows.iter().enumerate().map(line).collect();
    let yes = if rows.is_empty() { String::new() } else { format!("{lines}                {name} = 1'b1;\n") };
    format!(
        "    always @* begin\n        casez ({})\n{yes}            default: {name} = 1'b0;\n        endcase\n    end\n",
        flat(value)
    )
}

/// Prints a word of a memory, in a statement at `indent` after `used` columns.
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
        // Yosys fails on `ram_style` for a family without LUT RAM. It ignores the name in capitals; AMD's tools accept it.
        MemoryStyle::Distributed => ("RAM_STYLE = \"distributed\"", "LUT RAM: reads in the same cycle"),
    };
    let MemoryData { name, depth, width, image, .. } = memory;
    let initial = match image {
        Some(file) => format!("    initial $readmemh(\"{file}\", {name});\n"),
        None if memory.starts_with_zeros => zeros_in(name, *depth, *width),
        None => String::new(),
    };
    let (range, last) = (range(*width), depth - 1);
    let array = format!("    (* {style} *) reg {range}{name} [0:{last}];\n");
    let array = if memory.writes.is_empty() && image.is_none() {
        format!("    /* verilator lint_off UNDRIVEN */\n{array}    /* verilator lint_on UNDRIVEN */\n")
    } else {
        array
    };
    format!("    // {depth} x {width} bits, {how}\n{array}{initial}")
}

fn zeros_in(name: &str, depth: usize, width: usize) -> String {
    format!(
        "    initial begin : zeros_in_{name}\n        integer place;\n        for (place = 0; place < {depth}; place = \
         place + 1) {name}[place] = {};\n    end\n",
        literal(width, &BigUint::ZERO)
    )
}

/// Prints an instance, or the instance in the body of a loop: first the ports on nets of the same names, then each other
/// port on a line of its own.
pub(crate) fn instance(data: &InstanceData, prefix: &str, indent: usize) -> String {
    let pad = " ".repeat(indent);
    let ports = data.module.port_list();
    let (same, others): (Vec<usize>, Vec<usize>) = (0..ports.len()).partition(|position| is_same_name(data, *position));
    let same = same.into_iter().map(|position| format!(".{0} ({0})", ports[position].name));
    let mut lines = filled(same, indent + 4, ",");
    let widest = others.iter().map(|position| ports[*position].name.len()).max().unwrap_or(0);
    lines.extend(others.into_iter().map(|position| {
        let value = connection(data, position, indent + 4, indent + 8 + widest);
        format!(".{:<widest$} ({value})", ports[position].name)
    }));
    let parameters = parameters(data.module.finished().body.external.as_deref().unwrap_or_default());
    let (name, lines) = (printed_name(&data.module, prefix), lines.join(&format!(",\n{pad}    ")));
    format!("{pad}{name} {parameters}{} (\n{pad}    {lines}\n{pad});\n", data.name)
}

/// Returns whether a port is connected to a net of its own name.
fn is_same_name(data: &InstanceData, position: usize) -> bool {
    let port = &data.module.port_list()[position];
    match (&*data.inputs[position], &data.outputs[position]) {
        ([value], _) => value.as_net().is_some_and(|net| net.printed() == port.name),
        ([], Some(net)) => data.each.is_none() && net.printed() == port.name,
        (values, _) => values.is_empty(),
    }
}

fn connection(data: &InstanceData, position: usize, indent: usize, used: usize) -> String {
    let port = &data.module.port_list()[position];
    match (&*data.inputs[position], &data.outputs[position]) {
        ([value], _) => broken(value, indent, used),
        ([], Some(net)) => match data.each {
            Some(each) => part(net.printed(), [0, port.width], each.variable, port.width),
            None => net.printed().to_owned(),
        },
        ([], None) => port.name.clone(),
        (values, _) => broken(&in_loop(data.each, values), indent, used),
    }
}

/// Returns the template of all parts of a generate loop.
fn in_loop(each: Option<Each>, values: &[Expr]) -> Expr {
    let variable = each.expect("a loop has values for its parts").variable;
    let values: Vec<&Expr> = values.iter().collect();
    template(variable, &values, Numbers::Of32Bits).expect("the values were checked when they were connected")
}

/// Prints the assignment of a wire's part inside a loop.
pub(crate) fn assign_each(net: &Net, each: Each, values: &[Expr], indent: usize) -> String {
    let width = net.width / each.count;
    let target = part(net.printed(), [0, width], each.variable, width);
    let head = format!("{}assign {target} = ", " ".repeat(indent));
    format!("{};\n", after(&head, &in_loop(Some(each), values), indent))
}

pub(crate) fn generate(each: Each, label: &str, body: &str) -> String {
    let Each { variable, count } = each;
    format!(
        "    generate\n        for ({variable} = 0; {variable} < {count}; {variable} = {variable} + 1) begin : {label}\n\
         {body}        end\n    endgenerate\n"
    )
}

/// Prints `#(…) `, or nothing without parameters.
fn parameters(parameters: &[(String, String)]) -> String {
    let widest = parameters.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let lines: Vec<String> =
        parameters.iter().map(|(name, value)| format!("        .{name:<widest$} ({value})")).collect();
    if lines.is_empty() { String::new() } else { format!("#(\n{}\n    ) ", lines.join(",\n")) }
}

/// Prints `if (condition)` and its body, without `begin` and `end` if all fits on a line.
fn guarded(indent: usize, head: &str, condition: &Expr, body: &str) -> String {
    let pad = " ".repeat(indent);
    let condition = broken(condition, indent, indent + head.len() + 10);
    let short = format!("{pad}if ({condition}) {}", body.trim_start());
    if head.is_empty() && is_one_line(&short) {
        return short;
    }
    format!("{pad}{head}if ({condition}) begin\n{body}{pad}end\n")
}

fn is_one_line(text: &str) -> bool {
    text.len() <= LINE + 1 && text.find('\n') == Some(text.len() - 1)
}

/// Prints the statements of registers that share enable and reset.
pub(crate) fn register_statements(group: &[&RegisterData]) -> String {
    let nexts = |indent: usize| -> String {
        let assign = |register: &&RegisterData| {
            let head = format!("{}{} <= ", " ".repeat(indent), register.net.printed());
            Some(format!("{};\n", after(&head, register.next.as_ref()?, indent)))
        };
        group.iter().filter_map(assign).collect()
    };
    let reset = |register: &&RegisterData| {
        let value = literal(register.net.width, register.reset.as_ref()?);
        Some(format!("            {} <= {value};\n", register.net.printed()))
    };
    let resets: String = group.iter().filter_map(reset).collect();
    let enable = group[0].enable.as_ref().filter(|enable| !enable.is_ones());
    match (resets.as_str(), enable) {
        ("", None) => nexts(8),
        ("", Some(enable)) => guarded(8, "", enable, &nexts(12)),
        (_, None) => either(&resets, &nexts(12)),
        (_, Some(enable)) => {
            let short = guarded(8, "", enable, &nexts(12));
            if is_one_line(&resets) && is_one_line(&short) {
                return either(&resets, &short);
            }
            let otherwise = guarded(8, "end else ", enable, &nexts(12));
            format!("        if (rst) begin\n{resets}{otherwise}")
        }
    }
}

/// Prints the values of a reset, and the statements without one, without `begin` and `end` if each is one line.
fn either(resets: &str, nexts: &str) -> String {
    let [reset, next] =
        [("if (rst)", resets), ("else", nexts)].map(|(head, body)| format!("        {head} {}", body.trim_start()));
    if is_one_line(&reset) && is_one_line(&next) {
        return reset + &next;
    }
    format!("        if (rst) begin\n{resets}        end else begin\n{nexts}        end\n")
}

pub(crate) fn memory_block(finished: &Finished, memory: &MemoryData) -> String {
    let variable =
        LOOP_VARIABLES.into_iter().find(|name| !finished.body.names.contains(*name)).unwrap_or("loop_number");
    let in_loop = writes_in_loop(variable, &memory.writes);
    let mut body = String::new();
    if let Some((write, part)) = &in_loop {
        let head = format!("for ({variable} = 0; {variable} < {0}; {variable} = {variable} + 1)", memory.writes.len());
        body += &format!("        {head} begin\n{}        end\n", write_to(memory, write, part, 12));
    } else {
        for write in &memory.writes {
            let part = write.part.map_or(String::new(), |lowest| bits(lowest, write.data.width()));
            body += &write_to(memory, write, &part, 8);
        }
    }
    for ReadData { net, address, enable } in memory.reads.iter().filter(|read| finished.is_alive(&read.net)) {
        let indent = if enable.is_some() { 12 } else { 8 };
        let head = format!("{}{} <= ", " ".repeat(indent), net.printed());
        let read = format!("{head}{};\n", word(memory, address, indent, head.len()));
        body += &enable.as_ref().map_or_else(|| read.clone(), |enable| guarded(8, "", enable, &read));
    }
    match (body.is_empty(), in_loop) {
        (true, _) => body,
        (_, None) => clocked(&body),
        (_, Some(_)) => {
            let name = format!("write_{}", memory.name);
            format!("    always @(posedge clk) begin : {name}\n        integer {variable};\n{body}    end\n")
        }
    }
}

/// Names for the variable of a loop over statements. A module uses the first name that is free.
const LOOP_VARIABLES: [&str; 3] = ["part", "index", "number"];

/// Merges the writes to a memory into one write with a variable, and the selection of its part, if they are alike.
fn writes_in_loop(variable: &'static str, writes: &[WriteData]) -> Option<(WriteData, String)> {
    if writes.len() < 2 {
        return None;
    }
    let alike = |value: fn(&WriteData) -> &Expr| {
        let values: Vec<&Expr> = writes.iter().map(value).collect();
        template(variable, &values, Numbers::OfAnyWidth)
    };
    let width = writes[0].data.width();
    let in_order = |(number, write): (usize, &WriteData)| write.part == Some(number * width);
    let selection = if writes.iter().all(|write| write.part.is_none()) {
        String::new()
    } else if writes.iter().enumerate().all(in_order) {
        part("", [0, width], variable, width)
    } else {
        return None;
    };
    let [enable, address, data] =
        [alike(|write| &write.enable)?, alike(|write| &write.address)?, alike(|write| &write.data)?];
    Some((WriteData { enable, address, data, part: None }, selection))
}

fn write_to(memory: &MemoryData, write: &WriteData, part: &str, indent: usize) -> String {
    let WriteData { enable, address, data, .. } = write;
    let statement = |indent: usize| {
        let target = word(memory, address, indent, indent + part.len() + 4);
        let head = format!("{}{target}{part} <= ", " ".repeat(indent));
        format!("{};\n", after(&head, data, indent))
    };
    if enable.is_ones() { statement(indent) } else { guarded(indent, "", enable, &statement(indent + 4)) }
}

fn bits(lowest: usize, width: usize) -> String {
    if width == 1 { format!("[{lowest}]") } else { format!("[{}:{lowest}]", lowest + width - 1) }
}

/// Prints the properties: checked at every clock edge out of reset, or at all times in a module without a clock.
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

/// Prints statements at each clock edge, without `begin` and `end` if they are one statement.
pub(crate) fn clocked(body: &str) -> String {
    let head = "    always @(posedge clk)";
    let short = format!("{head} {}", body.trim_start());
    if is_one_line(&short) {
        return short;
    }
    if is_one_if(body) { format!("{head}\n{body}") } else { format!("{head} begin\n{body}    end\n") }
}

/// Returns whether the statements, which are indented by 8, are one `if` with all its branches.
fn is_one_if(body: &str) -> bool {
    let mut starts =
        body.lines().filter_map(|line| line.strip_prefix("        ")).filter(|line| !line.starts_with(' '));
    starts.next().is_some_and(|first| first.starts_with("if ("))
        && starts.all(|line| line.starts_with("else ") || line.starts_with("end"))
}

/// Gathers unread bits in one wire, so that a linter does not warn of them.
pub(crate) fn unread(finished: &Finished, sheet: &mut Sheet) {
    let mut parts = Vec::new();
    let mut add = |net: &Net| {
        let Some(bits) = finished.read_bits.get(&net.id) else {
            parts.push(net.printed().to_owned());
            return;
        };
        let mut at = 0;
        while at < net.width {
            let run = bits[at..].iter().take_while(|read| !**read).count();
            match run {
                0 => at += 1,
                1 => parts.push(format!("{}[{at}]", net.printed())),
                _ => parts.push(format!("{}[{}:{at}]", net.printed(), at + run - 1)),
            }
            at += run;
        }
    };
    finished.body.inputs().for_each(|net| add(net));
    for item in &finished.body.items {
        let is_output = matches!(item, Item::Wire { driver: Some(Driver::Instance), .. } | Item::Instance(_));
        let nets = finished.body.nets_of(item).into_iter();
        nets.filter(|net| is_output || finished.is_alive(net)).for_each(|net| add(net));
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
    sheet.lines(&format!("    wire unused = &{{1'b0, {}}};\n", lines.join(",\n        ")));
}
