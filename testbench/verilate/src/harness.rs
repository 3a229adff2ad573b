//! The C++ text that gives a verilated core its C interface.
//!
//! The ports are a table of {name, bits, direction, address}: the bench looks names up once, and then reads a port as
//! memory.
//! A fatal error of the Verilator runtime, for example a combinational loop that does not settle, becomes an error
//! code instead of an `abort`.

use std::fmt::Write;

use cores::MemoryInCore;
use rtl::{Direction, PortInfo};

use super::extra::Extra;

/// Version of the C interface. It is part of the cache key, and checked when a model is loaded.
pub(super) const INTERFACE: u32 = 2;

/// Verilator's configuration that keeps a memory in a core accessible: its words, and the nets around it.
pub(super) fn verilator_configuration(top: &str, memory: Option<&MemoryInCore>) -> String {
    let mut text = String::from("`verilator_config\n");
    let Some(memory) = memory else { return text };
    for PortInfo { name, .. } in &memory.bus {
        let _ = writeln!(text, "public_flat_rd -module \"{top}\" -var \"{name}\"");
    }
    let scratchpad = memory.scratchpad.iter().flat_map(|(module, banks)| banks.iter().map(move |bank| (module, bank)));
    for (module, bank) in memory.banks.iter().map(|bank| (&memory.module, bank)).chain(scratchpad) {
        let _ = writeln!(text, "public_flat_rw -module \"{module}\" -var \"{bank}\" @(posedge clk)");
    }
    text
}

/// The memories in a core, with the names of the instances around them: those of the adaptor, then the scratchpad's.
fn places_of_banks(memory: &MemoryInCore) -> Vec<String> {
    let of_adaptor = memory.banks.iter().map(|bank| format!("{}__DOT__{bank}", memory.instance));
    let of_scratchpad = memory.scratchpad.iter().flat_map(|(_, banks)| banks);
    let path = format!("{}__DOT__scratchpad", cores::PIPELINE);
    of_adaptor.chain(of_scratchpad.map(|bank| format!("{path}__DOT__{bank}"))).collect()
}

/// The harness for a top module called `top`, with the functions of `extra`. The nets around a memory in the core
/// become outputs; its words are accessed by bank.
pub(super) fn text(top: &str, ports: &[PortInfo], memory: Option<&MemoryInCore>, extra: Extra) -> String {
    let (mut table, mut banks) = (String::new(), String::new());
    for PortInfo { name, width, direction } in ports {
        let output = u32::from(*direction == Direction::Output);
        let _ = writeln!(table, "            {{\"{name}\", {width}, {output}, &core.{name}}},");
    }
    let bus = memory.map_or(&[][..], |memory| &memory.bus);
    for PortInfo { name, width, .. } in bus {
        let _ = writeln!(table, "            {{\"{name}\", {width}, 1, &core.rootp->{top}__DOT__{name}}},");
    }
    let places = memory.map_or_else(Vec::new, places_of_banks);
    for place in &places {
        let words = format!("core.rootp->{top}__DOT__{place}");
        let _ = writeln!(banks, "            {{sizeof({words}) / 4, &{words}[0]}},");
    }
    // An array has at least one element.
    let bank_count = places.len();
    if bank_count == 0 {
        banks.push_str("            {0, nullptr},\n");
    }
    let root = if memory.is_some() { format!("#include \"V{top}___024root.h\"\n") } else { String::new() };
    let symbols = format!("#include \"V{top}__Syms.h\"\n");
    let (include, declarations, functions) = match extra {
        Extra::None => ("", "", ""),
        Extra::Wave => WAVE,
        Extra::Coverage(_) => (symbols.as_str(), "", COVERAGE),
    };
    let trace_ever_on = if extra == Extra::Wave { "context.traceEverOn(true);\n        " } else { "" };
    let count = ports.len() + bus.len();
    let places = bank_count.max(1);
    format!(
        r#"// C interface of a verilated {top}; see testbench/verilate/src.
#include "V{top}.h"
{root}#include "verilated.h"
{include}#include <cstdint>
#include <stdexcept>
#include <string>

void vl_fatal(const char* filename, int linenum, const char* hier, const char* message) {{
    throw std::runtime_error(std::string(filename) + ":" + std::to_string(linenum) + ": " + message);
}}

namespace {{
struct Port {{
    const char* name;
    std::uint32_t bits;
    std::uint32_t output;
    void* address;
}};

// A memory of 32-bit words.
struct Bank {{
    std::uint32_t words;
    void* address;
}};

struct Instance {{
    VerilatedContext context;
    V{top} core;
{declarations}    Port ports[{count}];
    Bank banks[{places}];
    std::string error;

    // Uninitialised state starts with random bits of this seed.
    static VerilatedContext* seeded(VerilatedContext& context, int seed) {{
        {trace_ever_on}context.randReset(2);
        context.randSeed(seed);
        return &context;
    }}

    explicit Instance(int seed)
        : core{{seeded(context, seed), "{top}"}}, ports{{
{table}        }}, banks{{
{banks}        }} {{}}
}};
}}  // namespace

#define WEFT_EXPORT extern "C" __attribute__((visibility("default")))

WEFT_EXPORT std::uint32_t weft_interface() {{ return {INTERFACE}; }}

WEFT_EXPORT void* weft_create(std::int32_t seed) {{
    try {{
        return new Instance(seed);
    }} catch (...) {{
        return nullptr;
    }}
}}

// The runtime takes a part of what it destroys for the thread's last context's, which may be that of another instance.
WEFT_EXPORT void weft_destroy(void* model) {{
    Instance* const instance = static_cast<Instance*>(model);
    Verilated::threadContextp(&instance->context);
    delete instance;
}}

WEFT_EXPORT const Port* weft_ports(void* model, std::uint32_t* count) {{
    *count = {count};
    return static_cast<Instance*>(model)->ports;
}}

WEFT_EXPORT const Bank* weft_banks(void* model, std::uint32_t* count) {{
    *count = {bank_count};
    return static_cast<Instance*>(model)->banks;
}}

// Null if all is well, else the message of the runtime.
WEFT_EXPORT const char* weft_eval(void* model) {{
    Instance* const instance = static_cast<Instance*>(model);
    try {{
        instance->core.eval();
        return nullptr;
    }} catch (const std::exception& error) {{
        instance->error = error.what();
        return instance->error.c_str();
    }}
}}
{functions}"#
    )
}

const WAVE: (&str, &str, &str) = (
    "#include \"verilated_fst_c.h\"\n",
    "    VerilatedFstC wave;\n",
    r#"
WEFT_EXPORT std::int32_t weft_wave_open(void* model, const char* path) {
    Instance* const instance = static_cast<Instance*>(model);
    instance->core.trace(&instance->wave, 99);
    instance->wave.open(path);
    return instance->wave.isOpen();
}

WEFT_EXPORT void weft_wave_dump(void* model, std::uint64_t time) {
    static_cast<Instance*>(model)->wave.dump(time);
}

WEFT_EXPORT void weft_wave_close(void* model) { static_cast<Instance*>(model)->wave.close(); }
"#,
);

/// Header that stands before every C++ file of a model. With counters, it delays naming them until
/// `weft_coverage_write` needs the names: a dozen strings for each of tens of thousands of counters, in every instance.
pub(super) fn header(extra: Extra) -> &'static str {
    match extra {
        Extra::None | Extra::Wave => "#include \"verilated.h\"\n",
        Extra::Coverage(_) => NAMED_ONCE,
    }
}

const NAMED_ONCE: &str = r#"#include "verilated.h"
#include "verilated_cov.h"
extern thread_local bool weft_names_counters;
#undef VL_COVER_INSERT
#define VL_COVER_INSERT(coverage, counter, ...) \
    do { \
        if (weft_names_counters) { \
            coverage->_inserti(counter); \
            coverage->_insertf(__FILE__, __LINE__); \
            coverage->_insertp("hier", name(), __VA_ARGS__); \
        } \
    } while (false)
"#;

const COVERAGE: &str = r#"
thread_local bool weft_names_counters = false;

static auto& weft_counters(Instance& instance) { return instance.core.rootp->vlSymsp->__Vcoverage; }

WEFT_EXPORT void* weft_coverage(void* model, std::uint32_t* count) {
    auto& counters = weft_counters(*static_cast<Instance*>(model));
    static_assert(sizeof(counters[0]) == sizeof(std::uint32_t), "a counter of 32 bits");
    *count = sizeof(counters) / sizeof(counters[0]);
    return &counters[0];
}

// As many counters as those of an instance; whether the file was written.
WEFT_EXPORT std::int32_t weft_coverage_write(const std::uint32_t* counters, const char* path) {
    try {
        weft_names_counters = true;
        Instance instance{1};
        weft_names_counters = false;
        for (auto& counter : weft_counters(instance)) counter = *counters++;
        instance.context.coveragep()->write(path);
        return 1;
    } catch (...) {
        return 0;
    }
}
"#;
