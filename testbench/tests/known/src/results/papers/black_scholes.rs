use super::super::scatter;

const OPTIONS: u32 = 192;
const ONE: i64 = 65536;

struct Contract {
    stock: i64,
    strike: i64,
    years: i64,
    is_put: bool,
}

fn contract(number: u32) -> Contract {
    let random = i64::from(scatter(number));
    let part = |shift: u32| (random >> shift) % 256;
    Contract {
        stock: 20 * ONE + part(0) * (20 * ONE / 256),
        strike: 20 * ONE + part(8) * (20 * ONE / 256),
        years: ONE / 16 + part(16) * (4 * ONE / 256),
        is_put: part(24) % 2 == 1,
    }
}

/// The product of two numbers in units of 1/65536, rounded down.
fn times(a: i64, b: i64) -> i64 {
    (a * b).div_euclid(ONE)
}

/// A polynomial with the constant coefficient first.
fn polynomial(coefficients: &[i64], x: i64) -> i64 {
    coefficients.iter().rev().fold(0, |sum, coefficient| coefficient + times(x, sum))
}

fn logarithm(a: i64, b: i64) -> i64 {
    let x = (a - b) * ONE / (a + b);
    let square = times(x, x);
    2 * (x + times(x, times(square, polynomial(&[ONE / 3, ONE / 5, ONE / 7], square))))
}

/// The root in units of 1/16384.
fn root(x: i64) -> i64 {
    (0..4).fold((x + ONE) / 8, |y, _| (y + x * 4096 / y) / 2)
}

/// e to the power of -x. The kernel subtracts where this adds negative terms, so rounding differs.
fn decay(x: i64) -> i64 {
    if x >= 10 * ONE {
        return 0;
    }
    let binary = times(x, 94548);
    let rest = times(binary % ONE, 45426);
    let terms = [ONE, ONE, ONE / 2, ONE / 6, ONE / 24, ONE / 120];
    let series = terms.into_iter().rev().reduce(|sum, term| term - times(rest, sum)).expect("terms");
    series >> (binary / ONE)
}

fn normal(d: i64) -> i64 {
    let size = d.abs();
    let k = (1 << 30) / (16384 + times(size, 15181) / 4);
    let sum = times(k, polynomial(&[20931, -23368, 116_751, -119_358, 87181], k));
    let tail = times(times(26145, decay(size * size / ONE / 2)), sum);
    if d > 0 { ONE - tail } else { tail }
}

/// The two arguments of the normal distribution.
fn arguments(contract: &Contract) -> [i64; 2] {
    let spread = times(19661, root(contract.years));
    let drift = times(1311 + times(19661, 19661) / 2, contract.years);
    let d = (logarithm(contract.stock, contract.strike) + drift) * 16384 / spread;
    [d, d - 4 * spread]
}

fn price(contract: &Contract) -> i64 {
    let [of_stock, of_strike] = arguments(contract).map(normal);
    let discounted = times(contract.strike, decay(times(1311, contract.years)));
    if contract.is_put {
        times(discounted, ONE - of_strike) - times(contract.stock, ONE - of_stock)
    } else {
        times(contract.stock, of_stock) - times(discounted, of_strike)
    }
}

pub fn results() -> Vec<u32> {
    (0..OPTIONS).map(|number| price(&contract(number)) as u32).collect()
}

/// The exact distribution is the sum of 20 000 small rectangles.
#[test]
fn prices_are_right_to_a_two_hundredth() {
    let exact_normal = |d: f64| {
        let density = |x: f64| (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt();
        let width = d / 20_000.0;
        0.5 + (0..20_000).map(|i| density((f64::from(i) + 0.5) * width) * width).sum::<f64>()
    };
    for contract in (0..OPTIONS).map(contract) {
        let [stock, strike, years] = [contract.stock, contract.strike, contract.years].map(|x| x as f64 / 65536.0);
        let spread = 0.3 * years.sqrt();
        let d = ((stock / strike).ln() + (0.02 + 0.3 * 0.3 / 2.0) * years) / spread;
        let discounted = strike * (-0.02 * years).exp();
        let call = stock * exact_normal(d) - discounted * exact_normal(d - spread);
        let exact = if contract.is_put { call + discounted - stock } else { call };
        let own = price(&contract) as f64 / 65536.0;
        assert!((own - exact).abs() < 0.005, "{own} instead of {exact}");
    }
}

#[test]
fn the_rare_branch_is_taken() {
    let halves = (0..OPTIONS).flat_map(|number| arguments(&contract(number))).map(|d| d * d / ONE / 2);
    let rare = halves.filter(|half| *half >= 10 * ONE).count();
    assert!((1..20).contains(&rare), "{rare}");
}
