use super::*;
use crate::{Builder, concat, join, lit, ones};

#[test]
fn literals_are_short_and_keep_their_width() {
    let cases = [
        (1, 0, "1'b0"),
        (1, 1, "1'b1"),
        (4, 9, "4'd9"),
        (4, 10, "4'ha"),
        (32, 0xffff_ffff, "32'hffffffff"),
        (64, u64::MAX, "{64{1'b1}}"),
        (64, 7, "64'd7"),
    ];
    for (width, value, text) in cases {
        assert_eq!(flat(&lit(width, value)), text);
    }
}

#[test]
fn the_bound_is_at_least_the_text_and_close_to_it() {
    let m = Builder::new("top", "");
    let (a, b, c) = (m.input("a", 16), m.input("b", 16), m.input("c", 1));
    let (index, short) = (m.input("index", 4), m.input("narrow", 5));
    let shifted = a.shr_signed(&(&short + lit(5, 1)));
    let leaves = [
        a.slice(3, 10).extend_signed(16),
        (&a + &b) - (&a - &b),
        !(&a ^ ones(16)),
        shifted,
        a.shl(&short) | b.shr(&short),
        concat([&a.lt(&b), &a.lt_signed(&b), &!a.lt_signed(&b), &a.any(), &!a.all(), &(!&b).parity()]).extend(16),
        join([&a.index(&index), &c.repeat(15)]),
        concat([&c, &short]).repeat(2).extend(16),
        short.mul_signed(&short).extend(16),
    ];
    for x in &leaves {
        for y in &leaves {
            for expr in [x & y, x - y, c.mux(x, y), !x.eq(y), x.lt_signed(y), concat([x, y]), !&(x | y)] {
                let (text, bound) = (flat(&expr), expr.text_bound());
                assert!(text.len() <= bound, "{bound} for {} of {text}", text.len());
                assert!(bound <= 2 * text.len() + 20, "{bound} for {} of {text}", text.len());
                assert_eq!(fitting(&expr, text.len()).as_ref(), Some(&text));
                assert_eq!(fitting(&expr, text.len() - 1), None);
            }
        }
    }
}

#[test]
fn broken_lines_hold_the_same_text() {
    let m = Builder::new("top", "");
    let terms: Vec<Expr> = (0..9).map(|i| m.input(&format!("an_input_{i}"), 40).shl(&lit(4, i))).collect();
    let condition = terms[0].lt_signed(&terms[1]);
    let inputs: Vec<Expr> = (0..3).map(|i| m.input(&format!("a_factor_{i}"), 20)).collect();
    let product = join(&inputs).mul_signed(&concat(&inputs));
    let sum = crate::reduce(&terms, &|a, b| a + b);
    let all = [
        crate::reduce(&terms, &|a, b| condition.mux(a, &(a ^ b))),
        concat(&terms).any().repeat(3),
        (&sum - &(&sum & &terms[0])).shr_signed(&sum),
        !&concat([&sum, &!sum.lt_signed(&terms[3]), &product]),
    ];
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    for expr in &all {
        let text = broken(expr, 4, 20);
        assert!(text.lines().count() > 3 && text.lines().all(|line| line.len() <= LINE + 10), "{text}");
        assert_eq!(squeezed(&text), squeezed(&flat(expr)));
    }
}
