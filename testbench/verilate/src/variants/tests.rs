use super::*;

const TOP: &str = "module top (\n    input wire a,\n    output wire b\n);\n    leaf leaf_0 (\n        .a (a),\n        \
                   .b (b)\n    );\nendmodule\n";
const LEAF: &str = "module leaf (\n    input wire a,\n    output wire b\n);\n    // if (this = that)\n    \
                    wire [1:0] c =\n        {a, // of it\n         ~a};\n    reg d;\n    other other_0 (\n        \
                    .e (~(a == b)),\n        .f (b)\n    );\n    for (i = 0; i < 2; i = i + 1) begin\n    end\n    \
                    always @(posedge a) begin\n        if (a & (b | d)) begin\n            \
                    d <= c[0] ? a : b;\n        end\n    end\n    assign b = d;\nendmodule\n";

fn core() -> String {
    format!("{TOP}\n{LEAF}")
}

#[test]
fn expressions_are_right_sides_conditions_and_connections() {
    let found: Vec<_> = expressions(LEAF).into_iter().map(|range| &LEAF[range]).collect();
    let expected = ["{a, // of it\n         ~a}", "~(a == b)", "b", "a & (b | d)", "c[0] ? a : b", "d"];
    assert_eq!(found, expected);
}

#[test]
fn each_variant_is_selected_by_its_number() {
    let changed = |from: &str, to: &str| {
        assert!(core().contains(from), "{from}");
        core().replacen(from, to, 1)
    };
    let variants = [
        changed("a & (b", "a | (b"),
        core(),
        changed("reg d;", "reg d;\n    reg e;"),
        changed("i < 2", "i < 3"),
        changed("~(a == b)", "a == b").replacen("assign b = d;", "assign b = ~d;", 1),
    ];
    let (text, numbers) = selectable(&core(), &variants);
    assert_eq!(numbers, [Some(1), Some(2), None, None, Some(3)]);
    assert_eq!(text.matches("    input wire [15:0] weft_variant,\n").count(), 2);
    assert_eq!(text.matches("        .weft_variant (weft_variant),\n").count(), 1);
    for selected in [
        "if ((weft_variant == 16'd1 ? (a | (b | d)) : (a & (b | d)))) begin",
        ".e ((weft_variant == 16'd3 ? (a == b) : (~(a == b)))),",
        "assign b = (weft_variant == 16'd3 ? (~d) : (d));",
    ] {
        assert!(text.contains(selected), "{selected}\n{text}");
    }
    assert_eq!(text.matches("16'd").count(), 3, "{text}");
}
