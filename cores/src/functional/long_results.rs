//! Products and quotients on their path to the register file: the divider, and a queue in which S3 has reserved an
//! entry for each result. A product enters in S8, a quotient in a cycle without a product.

use rtl::{Builder, Bundle, ElaborationError, Expr, Module};

use super::divider;
use crate::queue::Queue;
use crate::shape::{LONG_RESULTS, Shape};
use crate::signals::LateResult;

pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let divider_module = divider::elaborate(shape)?;
    let m = Builder::new("long_results", "Products and quotients waiting for the register file's write port.");
    m.timing(
        "a product enters in S8, a quotient in a cycle without a product; each can be taken from the second cycle \
         after that. S3 has reserved an entry for each, so the queue never overflows.",
    );
    m.port_group("multiplications and divisions that leave S7");
    let computes = m.input("long_result_used_s7", 1);
    let divides = m.input("divider_used_s7", 1);
    let may_divide = m.input("may_divide_s7", 1);
    // All lanes of the path, which S7 knows earlier than the lanes that it serves.
    let active = m.input("mask_path", shape.threads);
    let target = LateResult { served: active, ..LateResult::inputs(&m, shape, "late_s7") };
    let funct3 = m.input("funct3_s7", 2);
    let dividend = m.input("dividend_s7", shape.line_bits());
    let divisor = m.input("store_s7", shape.line_bits());
    m.port_group("products, in S8");
    let product = m.input("product_s8", shape.line_bits());
    m.port_group("the oldest result is taken");
    let pop = m.input("long_taken", 1);

    let product_valid = m.delay_reset("product_valid", &(computes & !&divides));
    let product_target = m.delay("product_target", &target.pack());
    let divider = m.instance("divider", &divider_module);
    let division_taken = m.forward("division_taken", 1);
    divider.input("start", &divides).input("may_start", &may_divide).input("funct3", &funct3);
    divider.input("taken", &division_taken).input("target", &target.pack());
    divider.input("dividend", &dividend).input("divisor", &divisor);
    let finished = divider.output("finished_division");
    let divided = divider.output_as("target_divided", "target_divided");
    let quotients = divider.output("quotients");
    m.drive(&division_taken, &(&finished & !&product_valid));

    let push = m.wire("push", &(&product_valid | &division_taken));
    let results = Queue::declare(&m, "result", LONG_RESULTS, &push);
    let field = |name: &str, product: &Expr, quotient: &Expr| {
        results.field(&m, name, &m.wire(&format!("pushed_{name}"), &product_valid.mux(product, quotient)))
    };
    m.port_group("the oldest result");
    m.output("valid_long", &results.valid);
    m.output("data_long", &field("data", &product, &quotients));
    LateResult::unpack(&m, shape, &field("target", &product_target, &divided)).outputs(&m, "long");
    results.pop(&m, &pop);
    m.port_group("the divider takes another division");
    m.output("divider_freed", &divider.output("divider_freed"));
    m.finish()
}
