//! A fair pick among requests. The pick is combinational, with one register per request.

use rtl::{Builder, ElaborationError, Expr, Module, concat, encode, join, select_one_hot, zeros};

/// Elaborates the picker. `grant` is the next request above the one accepted last, wrapping around. With `prefers`, a
/// `preferred` request comes first if there is any. `number` is that of the request, and `beside_grant` are its bits of
/// `beside`, which has `bits` for each request. They are undefined while there is no request.
///
/// With `early`, they come from trees of multiplexers and not from the grant. That takes less time and more LUTs.
pub fn elaborate(count: usize, prefers: bool, bits: usize, early: bool) -> Result<Module, ElaborationError> {
    let name = if prefers { "preferring_round_robin" } else { "round_robin" };
    let m = Builder::new(name, "Picks one of the requests: the next above the last accepted, wrapping around.");
    m.timing(
        "the pick is combinational; at the clock edge a pick with `accept` becomes the last one. `number` and \
         `beside_grant` are undefined while there is no request.",
    );
    let requests = m.input("requests", count);
    let preferred = m.input("preferred", if prefers { count } else { 0 });
    let beside = m.input("beside", count * bits);
    let accept = m.input("accept", 1);
    let first = m.register("first", count);
    let next_request = m.wire("next_request", &next(&m, "requests", &requests, &first));
    let before = prefers.then(|| &requests & preferred);
    let grant = before.as_ref().map_or(next_request.clone(), |before| {
        let before = m.wire("preferred_requests", before);
        let next_before = m.wire("next_preferred_request", &next(&m, "preferred_requests", &before, &first));
        let prefers = m.fault("prefers_none", &before.any(), &zeros(1));
        prefers.mux(&next_before, &next_request)
    });
    let grant = m.wire("granted", &grant);
    m.comment("The one above the grant comes first, after the highest one the lowest.");
    let above = concat([&grant.slice(0, count - 1), &grant.bit(count - 1)]);
    let above = m.fault("the_last_one_comes_first", &above, &grant);
    first.next(&above).enable(&(accept & requests.any())).reset(1);
    m.output("grant", &grant);
    if early {
        let picked = Lowest::of_groups(&m, &requests, before.as_ref(), &first, &beside);
        m.output("number", &join(&picked.number));
        m.output("beside_grant", &picked.beside);
    } else {
        m.output("number", &encode(&grant));
        m.output("beside_grant", &select_one_hot(&grant, beside.lanes(bits)));
    }
    m.finish()
}

/// The first request at or above the position that is set in `first`, wrapping around. The subtraction borrows from this
/// request, in two copies of them one above the other, so its carry chain does the search.
fn next(m: &Builder, name: &str, requests: &Expr, first: &Expr) -> Expr {
    let count = requests.width();
    let twice = concat([requests, requests]);
    let taken = m.wire(&format!("{name}_taken"), &(twice - concat([&zeros(count), first])));
    requests & !(taken.slice(0, count) & taken.from(count))
}

/// The lowest of some requests: whether there is one, the bits of its number, and its bits of `beside`.
struct Lowest {
    any: Expr,
    number: Vec<Expr>,
    beside: Expr,
}

impl Lowest {
    /// The request that comes next: a preferred one if there is any, and in each group one at or above `first` if there is any.
    fn of_groups(m: &Builder, requests: &Expr, preferred: Option<&Expr>, first: &Expr, beside: &Expr) -> Self {
        m.comment("Its number and the bits beside it: the lowest of each group, all in parallel.");
        let count = first.width();
        let above = join((0..count).map(|at| first.slice(0, at + 1).any()));
        let above = m.wire("above", &m.fault("the_number_is_of_the_lowest", &above, &zeros(count)));
        let mut groups = vec![("above", requests & &above), ("all", requests.clone())];
        if let Some(preferred) = preferred {
            groups.splice(0..0, [("preferred_above", preferred & &above), ("preferred", preferred.clone())]);
        }
        let lowest = groups.into_iter().map(|(name, requests)| {
            let requests = m.wire(&format!("requests_{name}"), &requests);
            let Self { any, number, beside } = Self::of(&requests, beside);
            let number = m.wire(&format!("lowest_{name}"), &join(&number)).lanes(1);
            Self { any, number, beside: m.wire(&format!("beside_{name}"), &beside) }
        });
        let lowest: Vec<Self> = lowest.collect();
        lowest.into_iter().rev().reduce(|later, earlier| earlier.or(&later)).expect("a group")
    }

    fn of(requests: &Expr, beside: &Expr) -> Self {
        let count = requests.width();
        if count == 1 {
            return Self { any: requests.clone(), number: Vec::new(), beside: beside.clone() };
        }
        let half = count.next_power_of_two() / 2;
        let bits = beside.width() / count;
        let [low, high] = [(0, half), (half, count - half)]
            .map(|(at, width)| Self::of(&requests.slice(at, width), &beside.slice(bits * at, bits * width)));
        let mut lowest = low.or(&high);
        lowest.any = requests.any();
        lowest.number.push(!low.any);
        lowest
    }

    /// This one if there is one, otherwise another, whose number has at most as many bits.
    fn or(&self, other: &Self) -> Self {
        let others = other.number.iter().cloned().chain(std::iter::repeat(zeros(1)));
        Self {
            any: &self.any | &other.any,
            number: self.number.iter().zip(others).map(|(own, other)| self.any.mux(own, &other)).collect(),
            beside: self.any.mux(&self.beside, &other.beside),
        }
    }
}
