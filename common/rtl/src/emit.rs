//! Modules as Verilog-2005 text: a [`Probe`] walks the hierarchy and prints each module once.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use rust_hdl::core::ast::Verilog;
use rust_hdl::core::block::Block;
use rust_hdl::core::probe::Probe;

use crate::Direction;
use crate::analysis::nets;
use crate::each::Each;
use crate::expr::Expr;
use crate::hierarchy::{Kind, Purpose};
use crate::module::{Driver, Finished, InstanceData, Item, Module, PortData, ReadData, RegisterData, WriteData};
use crate::net::{Net, NetKind};
use crate::print::{LINE, after, flat, range, words};
use crate::sheet::Sheet;
use crate::statement;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleText {
    pub name: String,
    /// The comment and `module` … `endmodule`.
    pub text: String,
}

impl Module {
    /// Prints every module of the hierarchy once, instantiated modules first.
    pub fn verilog(&self) -> Vec<ModuleText> {
        self.verilog_with_prefix("")
    }

    /// Prints the same with `prefix` before the name of every module described here, so that a design can hold other
    /// modules of the same names.
    pub fn verilog_with_prefix(&self, prefix: &str) -> Vec<ModuleText> {
        let mut printer = Printer::default();
        let visited = RefCell::new(HashSet::new());
        let kind = Kind { module: self, purpose: Purpose::Print, prefix, visited: &visited };
        kind.accept(&printed_name(self, prefix), &mut printer);
        printer.0
    }
}

/// Makes the text of a one-module file: `header` (comment lines), net-type guard, module.
pub fn file(header: &str, module: &ModuleText) -> String {
    format!("{header}\n`default_nettype none\n\n{}\n`default_nettype wire\n", module.text)
}

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

/// Returns the printed name of a module. External modules get no prefix.
pub(crate) fn printed_name(module: &Module, prefix: &str) -> String {
    let prefix = if module.is_external() { "" } else { prefix };
    format!("{prefix}{}", module.name())
}

pub(crate) fn module(module: &Module, prefix: &str) -> String {
    if let Some(text) = module.verilog_of_others() {
        // External Verilog may rely on undeclared nets.
        return format!("`default_nettype wire\n\n{}\n\n`default_nettype none\n", text.trim());
    }
    let finished = module.finished();
    let mut sheet = Sheet::default();
    sheet.comment("", &finished.body.purpose);
    if !finished.body.timing.is_empty() {
        sheet.comment("", &format!("Timing: {}", finished.body.timing));
    }
    sheet.lines(&format!("module {} (\n{});\n", printed_name(module, prefix), ports(finished)));
    sheet.gap();
    body(finished, prefix, &mut sheet);
    sheet.gap();
    for (name, value) in finished.body.outputs() {
        if value.as_net().is_none_or(|net| net.port.get() != Some(name)) {
            sheet.lines(&format!("{};\n", after(&format!("    assign {name} = "), value, 4)));
        }
    }
    statement::properties(finished, &mut sheet);
    statement::unread(finished, &mut sheet);
    sheet.close("endmodule\n")
}

/// Prints the port list: names in one column, a blank line and a comment before each group.
fn ports(finished: &Finished) -> String {
    let column = finished.ports.iter().map(|port| range(port.width).len()).max().unwrap_or(0);
    let registers = registers_as_ports(finished);
    let mut ports = finished.ports.iter();
    let mut lines = Vec::new();
    let mut declare = |comment: &[String]| {
        let Some(port) = ports.next() else { return };
        let direction = match port.direction {
            Direction::Input => "input  wire",
            Direction::Output if registers.contains(&*port.name) => "output reg ",
            Direction::Output => "output wire",
        };
        let mut text = String::new();
        if !comment.is_empty() {
            let blank = if lines.is_empty() { "" } else { "\n" };
            text += blank;
            comment.iter().for_each(|line| text += &format!("    // {line}\n"));
        }
        lines.push(format!("{text}    {direction} {:<column$}{}", range(port.width), port.name));
    };
    finished.ports.iter().filter(|port| port.is_implicit()).for_each(|_| declare(&[]));
    let mut group: Vec<String> = Vec::new();
    for port in &finished.body.ports {
        match port {
            PortData::Group(comment) => group = words(comment, LINE - 7),
            PortData::Input(_) | PortData::Output { .. } => {
                declare(&group);
                group.clear();
            }
        }
    }
    if lines.is_empty() { String::new() } else { lines.join(",\n") + "\n" }
}

fn registers_as_ports(finished: &Finished) -> HashSet<&str> {
    let drivers = finished.body.outputs().filter_map(|(_, value)| value.as_net());
    let registers = drivers.filter(|net| matches!(net.kind, NetKind::Register | NetKind::MemoryRead));
    registers.filter_map(|net| net.port.get().map(String::as_str)).collect()
}

/// Returns the items that something reads, with their positions. Comments with nothing left below them are dropped.
fn visible_items(finished: &Finished) -> Vec<(usize, &Item)> {
    let mut out: Vec<(usize, &Item)> = Vec::new();
    for (position, item) in finished.body.items.iter().enumerate() {
        let visible = match item {
            Item::Comment(_) => {
                out.pop_if(|(_, last)| matches!(last, Item::Comment(_)));
                true
            }
            Item::Wire { driver: Some(Driver::Instance), .. } | Item::Instance(_) => true,
            Item::Memory(index) => finished.body.reads_memory(*index, &finished.read_bits),
            Item::Wire { .. } | Item::Register(_) | Item::MemoryRead { .. } => {
                finished.body.nets_of(item).into_iter().all(|net| finished.is_alive(net))
            }
        };
        if visible {
            out.push((position, item));
        }
    }
    out.pop_if(|(_, last)| matches!(last, Item::Comment(_)));
    out
}

/// Text that follows a declaration, in this order.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Late {
    Assign,
    Block,
    Loop,
    Instance,
    Clocked,
}

/// Prints declarations in the order of the description. Text that reads a net declared further down (the value of a
/// forward wire, an instance, a clocked block) moves below that net.
fn body(finished: &Finished, prefix: &str, sheet: &mut Sheet) {
    let items = visible_items(finished);
    let order = Order::new(finished, &items);
    let mut late: BTreeMap<usize, Vec<(Late, String)>> = BTreeMap::new();
    for (position, block) in clocked_blocks(finished, &items, &order) {
        late.entry(position).or_default().push((Late::Clocked, block));
    }
    for (position, text) in loops(&items, &order, prefix) {
        late.entry(position).or_default().push((Late::Loop, text));
    }
    finished.body.variables.iter().for_each(|variable| sheet.lines(&format!("    genvar {variable};\n")));
    for (position, item) in items {
        match item {
            Item::Comment(text) => {
                sheet.gap();
                sheet.comment("    ", text);
            }
            Item::Wire { net, driver: Some(driver @ (Driver::Known(value) | Driver::Matches(value, _))) } => {
                statement::declare(sheet, "reg", net);
                let text = match driver {
                    Driver::Matches(_, rows) => statement::matches(net, value, rows),
                    _ => statement::known(net, value),
                };
                late.entry(order.latest([value]).max(position)).or_default().push((Late::Block, text));
            }
            Item::Wire {
                net,
                driver: Some(driver @ (Driver::Value(value) | Driver::Memory { address: value, .. })),
            } => {
                if order.latest([value]) > position {
                    statement::declare(sheet, "wire", net);
                    let text = statement::drive(finished, &format!("    assign {} = ", net.printed()), driver);
                    late.entry(order.latest([value])).or_default().push((Late::Assign, text));
                } else {
                    let head = match net.port.get() {
                        Some(port) => format!("    assign {port} = "),
                        None => format!("    wire {}{} = ", range(net.width), net.name),
                    };
                    sheet.lines(&noted(finished, net, statement::drive(finished, &head, driver)));
                }
            }
            Item::Wire { net, driver: Some(Driver::Each(..) | Driver::Instance) } => {
                statement::declare(sheet, "wire", net);
            }
            Item::Wire { net, driver: None } => unreachable!("`{}` was checked to have a value", net.name),
            Item::Register(index) => {
                statement::register(sheet, &finished.body.registers[*index]);
            }
            Item::MemoryRead { memory, read } => {
                let net = &finished.body.memories[*memory].reads[*read].net;
                statement::declare(sheet, "reg", net);
            }
            Item::Memory(index) => {
                sheet.gap();
                sheet.lines(&statement::memory(&finished.body.memories[*index]));
            }
            Item::Instance(data) => {
                if data.each.is_none() {
                    sheet.gap();
                }
                let outputs = order.outputs_at(data, position);
                statement::declare_wires(sheet, order.feedback(position).iter().chain(outputs).map(|net| &**net));
                match order.latest_of(data) {
                    // `loops` has the text.
                    _ if data.each.is_some() => {}
                    latest if latest > position => {
                        late.entry(latest).or_default().push((Late::Instance, statement::instance(data, prefix, 4)));
                    }
                    _ => {
                        sheet.lines(&statement::instance(data, prefix, 4));
                        sheet.gap();
                    }
                }
            }
        }
        let mut below = late.remove(&position).unwrap_or_default();
        below.sort_by(|(a, _), (b, _)| a.cmp(b));
        for (kind, text) in below {
            if kind == Late::Assign { sheet.lines(&text) } else { sheet.block(&text) }
        }
    }
}

/// Appends the note on a net to the first line of its declaration, if it fits.
fn noted(finished: &Finished, net: &Net, text: String) -> String {
    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
    match finished.body.notes.get(&net.id) {
        Some(note) if first.len() + note.len() + 4 <= LINE => format!("{first} // {note}\n{rest}"),
        _ => text,
    }
}

/// Returns the loops, each with the position below which it is printed. Neighbouring loops over the same parts merge. A
/// merged loop holds at most one instance and takes its name.
fn loops(items: &[(usize, &Item)], order: &Order, prefix: &str) -> Vec<(usize, String)> {
    struct Loop {
        each: Each,
        label: String,
        has_instance: bool,
        last: usize,
        latest: usize,
        body: String,
    }
    let mut loops: Vec<Loop> = Vec::new();
    let mut before = None;
    for (position, item) in items {
        let (each, label, has_instance, latest, text) = match item {
            Item::Wire { net, driver: Some(Driver::Each(each, values)) } => {
                let text = statement::assign_each(net, *each, values, 12);
                (*each, each.label(&net.name), false, order.latest(values), text)
            }
            Item::Instance(data @ InstanceData { each: Some(each), name, .. }) => {
                (*each, each.label(name), true, order.latest_of(data), statement::instance(data, prefix, 12))
            }
            _ => {
                before = Some(*position);
                continue;
            }
        };
        match loops.last_mut() {
            Some(open)
                if open.each == each
                    && before.is_none_or(|before| before < open.last)
                    && !(open.has_instance && has_instance) =>
            {
                open.body += &text;
                (open.last, open.latest) = (*position, open.latest.max(latest));
                if has_instance {
                    (open.label, open.has_instance) = (label, true);
                }
            }
            _ => loops.push(Loop { each, label, has_instance, last: *position, latest, body: text }),
        }
    }
    let text = |l: Loop| (l.latest.max(l.last), statement::generate(l.each, &l.label, &l.body));
    loops.into_iter().map(text).collect()
}

/// The positions at which nets are declared and sections end.
struct Order {
    declared: HashMap<usize, usize>,
    /// Outputs that an instance further up reads, by the position of that instance: it is preceded by their declarations.
    feedback: HashMap<usize, Vec<Rc<Net>>>,
    /// The position of the last item of each section, ascending.
    ends: Vec<usize>,
}

impl Order {
    fn new<'a>(finished: &'a Finished, items: &[(usize, &'a Item)]) -> Self {
        let declared = |(position, item): &(usize, &'a Item)| {
            let position = *position;
            finished.body.nets_of(item).into_iter().map(move |net| (net.id, position))
        };
        let mut declared: HashMap<usize, usize> = items.iter().flat_map(declared).collect();
        let mut feedback: HashMap<usize, Vec<Rc<Net>>> = HashMap::new();
        for (position, item) in items {
            let Item::Instance(data) = item else { continue };
            for net in data.inputs.iter().flatten().flat_map(nets) {
                if let Some(place) = declared.get_mut(&net.id)
                    && net.kind == NetKind::InstanceOutput
                    && *place > *position
                {
                    *place = *position;
                    feedback.entry(*position).or_default().push(net.clone());
                }
            }
        }
        let before_comment = items.windows(2).filter(|pair| matches!(pair[1].1, Item::Comment(_)));
        let ends = before_comment.map(|pair| pair[0].0).chain(items.last().map(|(position, _)| *position)).collect();
        Self { declared, feedback, ends }
    }

    /// Returns the outputs of later instances that are declared before the instance at a position.
    fn feedback(&self, position: usize) -> &[Rc<Net>] {
        self.feedback.get(&position).map_or(&[], |nets| nets)
    }

    fn outputs_at<'a>(&self, data: &'a InstanceData, position: usize) -> impl Iterator<Item = &'a Rc<Net>> {
        data.own_outputs().filter(move |net| self.of(net) == position)
    }

    fn latest<'a>(&self, values: impl IntoIterator<Item = &'a Expr>) -> usize {
        values.into_iter().flat_map(nets).map(|net| self.of(net)).max().unwrap_or(0)
    }

    fn latest_of(&self, data: &InstanceData) -> usize {
        let outputs = data.outputs.iter().flatten().map(|net| self.of(net)).max();
        self.latest(data.inputs.iter().flatten()).max(outputs.unwrap_or(0))
    }

    /// Returns the position of a declaration. Inputs are declared above all items.
    fn of(&self, net: &Net) -> usize {
        self.declared.get(&net.id).copied().unwrap_or(0)
    }

    fn section(&self, position: usize) -> usize {
        self.ends.partition_point(|end| *end < position)
    }
}

/// Returns the clocked blocks, each with the position below which it is printed: the end of the section that declares
/// the last net it reads. Registers of one section with the same enable and reset share a block.
fn clocked_blocks(finished: &Finished, items: &[(usize, &Item)], order: &Order) -> Vec<(usize, String)> {
    let mut groups: Vec<(usize, Vec<&RegisterData>)> = Vec::new();
    let mut memories: Vec<(usize, usize)> = Vec::new();
    let mut known = HashMap::new();
    for (position, item) in items {
        match item {
            Item::Register(index) => {
                let register = &finished.body.registers[*index];
                let key = (order.section(*position), register.enable.as_ref().map(flat), register.reset.is_some());
                let group = *known.entry(key).or_insert_with(|| {
                    groups.push((0, Vec::new()));
                    groups.len() - 1
                });
                let values = register.next.iter().chain(&register.enable);
                let (latest, registers) = &mut groups[group];
                *latest = (*latest).max(*position).max(order.latest(values));
                registers.push(register);
            }
            Item::Memory(index) => {
                let memory = &finished.body.memories[*index];
                let writes = memory.writes.iter().flat_map(WriteData::values);
                let reads = memory.reads.iter().filter(|read| finished.is_alive(&read.net));
                let own = reads.clone().map(|read| order.of(&read.net)).max().unwrap_or(0);
                let latest = order.latest(writes.chain(reads.flat_map(ReadData::values)));
                memories.push((latest.max(own).max(*position), *index));
            }
            _ => {}
        }
    }
    let end = |position: usize| order.ends[order.section(position)];
    // Register blocks with the same position merge.
    let mut registers: Vec<(usize, String)> = Vec::new();
    for (latest, group) in &groups {
        let (place, text) = (end(*latest), statement::register_statements(group));
        match registers.iter_mut().find(|(other, _)| *other == place) {
            Some((_, statements)) => *statements += &text,
            None => registers.push((place, text)),
        }
    }
    let registers = registers.into_iter().map(|(place, statements)| (place, statement::clocked(&statements)));
    let memories = memories
        .into_iter()
        .map(|(latest, index)| (end(latest), statement::memory_block(finished, &finished.body.memories[index])));
    registers.chain(memories).collect()
}
