//! The instruction table: one file for each extension, one line in it for each encoding. The decoders of S2, S4 and
//! S5 are made from it. The lanes contain the gates that are next to the encodings.

mod cover;
mod csr;
mod encoding;
#[cfg(test)]
mod example;
mod extension;
mod rv32i;
mod zicsr;
mod zifencei;
mod zihintpause;

pub use cover::{Cube, cover, merge};
pub use csr::{Csr, CsrKind, csrs};
pub use encoding::{
    Acts, Alu, Class, CsrAccess, Encoding, FUNCT3, FUNCT7, Format, LaneOperation, OPCODE, Operation, RD, RS1, RS2,
};
pub use extension::{Extension, Lane, Selected};
use weft_config::Isa;
pub use zihintpause::PAUSE;

macro_rules! declare {
    ($($_group:ident { $($module:ident: $_descriptor:ident),* })*) => {
        $($(mod $module;)*)*

        /// All extensions that a core can have.
        pub static EXTENSIONS: &[&Extension] = &[$($(&$module::EXTENSION),*),*];
    };
}
weft_config::extensions!(declare);

pub fn extensions(isa: Isa) -> impl Iterator<Item = &'static Extension> {
    EXTENSIONS.iter().copied().filter(move |extension| isa.has(&extension.descriptor))
}

/// All encodings of a core: RV32I, Zicsr, Zifencei, Zihintpause, and its extensions.
pub fn instructions(isa: Isa) -> Vec<Encoding> {
    let base = [rv32i::encodings(), zicsr::encodings(), zifencei::encodings(), zihintpause::encodings()].concat();
    base.into_iter().chain(extensions(isa).flat_map(|extension| (extension.encodings)())).collect()
}

pub fn extended(isa: Isa) -> Vec<Encoding> {
    instructions(isa).into_iter().filter(|e| e.operation.extended().is_some()).collect()
}

/// An encoding whose words are also words of a more general one.
#[derive(Clone, Copy, Debug)]
pub struct Exception {
    /// The encoding that applies to its own words.
    pub encoding: Encoding,
    /// The encoding that applies to its other words.
    pub general: Encoding,
}

/// Splits the table into encodings that share no word, and exceptions from them.
pub fn exceptions(table: Vec<Encoding>) -> (Vec<Encoding>, Vec<Exception>) {
    let general = |of: &Encoding| table.iter().find(|e| *e != of && e.cube().contains(of.cube())).copied();
    let exceptions: Vec<Exception> =
        table.iter().filter_map(|e| Some(Exception { encoding: *e, general: general(e)? })).collect();
    let disjoint = table.iter().filter(|e| general(e).is_none()).copied().collect();
    (disjoint, exceptions)
}

/// The names of the extensions' operations that act at this point, each once.
pub fn lane_operations(table: &[Encoding], acts: Acts) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    let there = table.iter().filter_map(|e| e.operation.extended()).filter(|operation| operation.acts == acts);
    for operation in there {
        if !names.contains(&operation.name) {
            names.push(operation.name);
        }
    }
    names
}

#[cfg(test)]
mod tests;
