//! Products and quotients on their way to the register file: the divider, and a queue (LUT RAM) in which each result
//! has had its place since S3. A product enters in S8; a quotient enters in a cycle without a product.

use rtl::{Builder, Bundle, ElaborationError, MemoryStyle, Module, clog2, increment, join};

use super::divider;
use crate::shape::{LONG_RESULTS, Shape};
use crate::signals::LongResult;

/// Elaborates the queue and its divider.
pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let divider_module = divider::elaborate(shape)?;
    let m = Builder::new("long_results", "Products and quotients waiting for the register file's write port.");
    m.port_group("multiplications and divisions that leave S7");
    let multiplies = m.input("multiplies_s7", 1);
    let divides = m.input("divides_s7", 1);
    let target = LongResult::inputs(&m, shape, "s7");
    let funct3 = m.input("funct3_s7", 2);
    let dividend = m.input("dividend_s7", shape.line_bits());
    let divisor = m.input("divisor_s7", shape.line_bits());
    m.port_group("products, in S8");
    let product = m.input("product_s8", shape.line_bits());
    m.port_group("the oldest result is taken");
    let pop = m.input("pop", 1);

    let product_valid = m.register("product_valid", 1);
    product_valid.next(&multiplies).reset(0);
    let product_target = target.delay(&m, shape, "q");
    let divider = m.instance("divider", &divider_module);
    let division_taken = m.forward("takes_division", 1);
    divider.input("start", &divides).input("funct3", &funct3).input("taken", &division_taken);
    target.connect(&divider, "s7");
    divider.input("dividend", &dividend).input("divisor", &divisor);
    let finished = divider.output("finished_division");
    let divided = LongResult::from_instance(&divider, shape, "divided");
    let quotients = divider.output("quotients");
    m.drive(&division_taken, &(&finished & !&*product_valid));

    let pack = |target: &LongResult| {
        let fields: Vec<_> = target.fields().into_iter().map(|(_, value)| value.clone()).collect();
        join(&fields)
    };
    let from_product = join([&product, &pack(&product_target)]);
    let from_division = join([&quotients, &pack(&divided)]);
    let entry = m.wire("entry", &product_valid.mux(&from_product, &from_division));
    let push = m.wire("push", &(&*product_valid | &division_taken));

    let position = clog2(LONG_RESULTS);
    let read_at = m.register("read_at", position + 1);
    let write_at = m.register("write_at", position + 1);
    let entries = m.memory("entries", LONG_RESULTS, entry.width(), MemoryStyle::Distributed);
    entries.write(&push, &write_at.slice(0, position), &entry);
    let head = entries.read("head", &read_at.slice(0, position));
    read_at.next(&increment(&read_at, 1)).enable(&pop).reset(0);
    write_at.next(&increment(&write_at, 1)).enable(&push).reset(0);

    m.port_group("the oldest result");
    m.output("valid_long", &read_at.ne(&write_at));
    m.output("data_long", &head.slice(0, shape.line_bits()));
    let mut at = shape.line_bits();
    LongResult::build(shape, &mut |_, width| {
        at += width;
        head.slice(at - width, width)
    })
    .outputs(&m, "long");
    m.port_group("the divider is free again");
    m.output("division_taken", &division_taken);
    m.finish()
}
