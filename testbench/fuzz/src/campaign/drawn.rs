//! The cores and programs of a campaign, each a function of its seed and number.

use fastrand::Rng;
use weft_config::Config;

use super::Shared;
use crate::generate::generate;
use crate::point;
use crate::profile::Profile;
use crate::program::Program;

pub struct Drawn {
    pub number: u64,
    pub profile: &'static Profile,
    pub program: Program,
    pub config: Config,
}

/// The random numbers of a core or program; `kind` separates the two.
fn numbers(seed: u64, kind: u64, number: u64) -> Rng {
    let mut mixed = Rng::with_seed(seed ^ kind.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let first = mixed.u64(..);
    Rng::with_seed(first ^ number.wrapping_mul(0xd134_2543_de82_ef95))
}

pub fn core_of(shared: &Shared<'_>, number: u64) -> Config {
    let request = shared.request;
    let units = request.units.len() as u64;
    let unit = &request.units[(number % units) as usize];
    let size = request.sizes[((number / units) % request.sizes.len() as u64) as usize];
    let mut core = point::core(&mut numbers(request.seed, 1, number), unit, size);
    if let [profile] = shared.profiles.as_slice() {
        profile.adapt(&mut core);
    }
    core
}

pub fn draw(shared: &Shared<'_>, core: &Config, number: u64) -> Drawn {
    let mut rng = numbers(shared.request.seed, 2, number);
    let profiles: Vec<_> = shared.profiles.iter().filter(|profile| profile.suits(core)).collect();
    let profile = profiles[rng.usize(0..profiles.len())];
    let config = point::memory(&mut rng, core);
    let program = generate(rng.u64(..), profile, point::abilities(&config));
    Drawn { number, profile, program, config }
}
