//! Legal identifiers of the emitted Verilog.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Reserved words of Verilog-2005 and SystemVerilog. Tools for either language read a design that avoids both.
const KEYWORDS: &str = "
    alias always always_comb always_ff always_latch and assert assign assume automatic before begin bind bins
    binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle checker class clocking cmos config
    const constraint context continue cover covergroup coverpoint cross deassign default defparam design disable
    dist do edge else end endcase endclass endclocking endconfig endfunction endgenerate endgroup endinterface
    endmodule endpackage endprimitive endprogram endproperty endsequence endspecify endtable endtask enum event
    eventually expect export extends extern final first_match for force foreach forever fork forkjoin function
    generate genvar global highz0 highz1 if iff ifnone ignore_bins illegal_bins implies import incdir include
    initial inout input inside instance int integer interface intersect join join_any join_none large let
    liblist library local localparam logic longint macromodule matches medium modport module nand negedge new
    nexttime nmos nor noshowcancelled not notif0 notif1 null or output package packed parameter pmos posedge
    primitive priority program property protected pull0 pull1 pulldown pullup pulsestyle_ondetect
    pulsestyle_onevent pure rand randc randcase randsequence rcmos real realtime ref reg reject_on release
    repeat restrict return rnmos rpmos rtran rtranif0 rtranif1 scalared sequence shortint shortreal
    showcancelled signed small solve specify specparam static string strong strong0 strong1 struct super supply0
    supply1 sync_accept_on sync_reject_on table tagged task this throughout time timeprecision timeunit tran
    tranif0 tranif1 tri tri0 tri1 triand trior trireg type typedef union unique unique0 unsigned until untyped
    use uwire var vectored virtual void wait wait_order wand weak weak0 weak1 while wildcard wire with within
    wor xnor xor
";

/// Reserved words of C++: Verilator translates a design into C++ and warns of them.
const CPP_KEYWORDS: &str = "
    alignas alignof and_eq asm auto bitand bitor bool catch char char16_t char32_t char8_t co_await co_return
    co_yield compl concept const_cast consteval constexpr constinit decltype delete double dynamic_cast explicit
    float friend goto inline long mutable namespace noexcept not_eq nullptr operator or_eq override private
    public register reinterpret_cast requires short sizeof static_assert static_cast std switch template
    thread_local throw try typeid typename using volatile wchar_t xor_eq
";

/// The reserved words, each with the reason why it cannot be an identifier.
static RESERVED: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let verilog = KEYWORDS.split_whitespace().map(|word| (word, "it is a reserved word of Verilog"));
    let reason = "it is a reserved word of C++, into which Verilator translates";
    verilog.chain(CPP_KEYWORDS.split_whitespace().map(|word| (word, reason))).collect()
});

/// Returns the reason why `name` cannot be an identifier, if there is one.
pub(crate) fn refusal(name: &str) -> Option<&'static str> {
    let mut characters = name.chars();
    let starts_well = characters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    if !starts_well || !characters.all(|c| c.is_ascii_alphanumeric() || c == '_') {
        Some("an identifier is a letter or _ followed by letters, digits and _")
    } else {
        RESERVED.get(name).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keyword_tables_are_sorted_for_the_reader() {
        assert!(KEYWORDS.split_whitespace().is_sorted());
        assert!(CPP_KEYWORDS.split_whitespace().is_sorted());
    }

    #[test]
    fn identifiers_are_judged() {
        for name in ["pc_s7", "_x", "a0"] {
            assert_eq!(refusal(name), None, "{name}");
        }
        for name in ["", "0a", "a$b", "reg", "logic", "register", "a-b", "é"] {
            assert!(refusal(name).is_some(), "{name}");
        }
    }
}
