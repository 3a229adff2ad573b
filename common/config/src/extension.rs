//! The extensions of the instruction set. Each has one descriptor with the facts that hardware, golden model and tools
//! share.
//!
//! The hardware (`cores`) and the golden model (`sim`) implement the instructions of an extension independently. The
//! list [`extensions!`](crate::extensions) names every extension.

#[derive(Clone, Copy, Debug)]
pub struct Extension {
    /// The name in the ISA manual.
    pub name: &'static str,
    /// The key in the table `isa`.
    pub key: &'static str,
    /// The part of `-march`: a letter, or a name after `_`.
    pub march: &'static str,
    pub summary: &'static str,
    pub by_default: bool,
    /// The keys of the extensions that this one requires.
    pub requires: &'static [&'static str],
}

pub const M: Extension = Extension {
    name: "M",
    key: "isa.m",
    march: "m",
    summary: "Multiplication and division, RV32M.",
    by_default: true,
    requires: &[],
};

pub const A: Extension = Extension {
    name: "A",
    key: "isa.a",
    march: "a",
    summary: "Atomic memory operations, load-reserved and store-conditional, RV32A.",
    by_default: true,
    requires: &[],
};

pub const ZBA: Extension = Extension {
    name: "Zba",
    key: "isa.zba",
    march: "zba",
    summary: "Addition of a shifted index to an address, Zba.",
    by_default: false,
    requires: &[],
};

pub const ZBB: Extension = Extension {
    name: "Zbb",
    key: "isa.zbb",
    march: "zbb",
    summary: "Bit manipulation, Zbb: min, max, bit counts, rotations, byte reversal.",
    by_default: false,
    requires: &[],
};

pub const ZICOND: Extension = Extension {
    name: "Zicond",
    key: "isa.zicond",
    march: "zicond",
    summary: "Conditional zeroing without a branch, Zicond.",
    by_default: false,
    requires: &[],
};

/// The made-up extension of `docs/design/extending.md`. No core has it; tests compare the document with it.
#[doc(hidden)]
pub const XABS: Extension = Extension {
    name: "Xabs",
    key: "isa.xabs",
    march: "xabs",
    summary: "The absolute value, Xabs.",
    by_default: false,
    requires: &[],
};

/// Lists all extensions, in the order of the keys and of `-march`: the name of its module in hardware and golden model,
/// and its descriptor. It passes them to a macro of the crate, which declares the modules.
#[macro_export]
macro_rules! extensions {
    ($declare:ident) => {
        $declare! {
            beyond_the_lanes { m: M, a: A }
            in_the_lanes { zba: ZBA, zbb: ZBB, zicond: ZICOND }
        }
    };
}

macro_rules! descriptors {
    (beyond_the_lanes { $($_own:ident: $own:ident),* } in_the_lanes { $($_module:ident: $descriptor:ident),* }) => {
        /// Every extension, in the order of the keys and of `-march`.
        pub const EXTENSIONS: &[Extension] = &[$($own,)* $($descriptor,)*];
    };
}
extensions!(descriptors);

impl Extension {
    const fn bit(&self) -> u64 {
        let mut number = 0;
        while !same(EXTENSIONS[number].key, self.key) {
            number += 1;
        }
        1 << number
    }
}

impl PartialEq for Extension {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Extension {}

const fn same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut equal = one.len() == other.len();
    let mut at = 0;
    while equal && at < one.len() {
        equal = one[at] == other[at];
        at += 1;
    }
    equal
}

/// `[isa]`: a set of extensions. Every core also has RV32I, Zicsr, Zifencei and Zihintpause.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Isa(u64);

impl Isa {
    pub const BASE: Self = Self(0);

    pub const ALL: Self = Self((1 << EXTENSIONS.len()) - 1);

    pub const fn has(self, extension: &Extension) -> bool {
        self.0 & extension.bit() != 0
    }

    pub const fn with(self, extension: &Extension) -> Self {
        Self(self.0 | extension.bit())
    }

    pub const fn without(self, extension: &Extension) -> Self {
        Self(self.0 & !extension.bit())
    }

    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub fn set(&mut self, extension: &Extension, present: bool) {
        *self = if present { self.with(extension) } else { self.without(extension) };
    }

    pub fn extensions(self) -> impl Iterator<Item = &'static Extension> {
        EXTENSIONS.iter().filter(move |extension| self.has(extension))
    }

    /// Returns the key of an extension that the given one requires and that is not in the set.
    fn lacks(self, extension: &Extension) -> Option<&'static str> {
        let present = |key: &str| self.extensions().any(|extension| extension.key == key);
        extension.requires.iter().find(|key| !present(key)).copied()
    }

    /// Returns the value of `-march` for the set, such as `rv32im_zba`.
    pub fn march(self) -> String {
        let part = |extension: &Extension| match extension.march {
            letter if letter.len() == 1 => letter.to_owned(),
            name => format!("_{name}"),
        };
        self.extensions().fold("rv32i".to_owned(), |march, extension| march + &part(extension))
    }
}

impl Default for Isa {
    fn default() -> Self {
        EXTENSIONS.iter().filter(|extension| extension.by_default).fold(Self::BASE, Self::with)
    }
}

impl std::fmt::Debug for Isa {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.march())
    }
}

/// Returns the first extension of the set with a missing requirement, and the key of that requirement.
pub(crate) fn lacking(isa: Isa) -> Option<(&'static Extension, &'static str)> {
    isa.extensions().find_map(|extension| Some((extension, isa.lacks(extension)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Key;

    #[test]
    fn a_set_names_itself_as_compilers_do() {
        assert_eq!(Isa::BASE.march(), "rv32i");
        assert_eq!(Isa::default().march(), "rv32ima");
        assert_eq!(Isa::BASE.with(&ZBB).with(&M).with(&ZBA).march(), "rv32im_zba_zbb");
        assert_eq!(Isa::ALL.without(&A).march(), "rv32im_zba_zbb_zicond");
    }

    #[test]
    fn an_extension_whose_requirement_is_not_there_is_found() {
        let needs_m = Extension { requires: &["isa.m"], ..ZBA };
        assert_eq!(Isa::BASE.with(&M).lacks(&needs_m), None);
        assert_eq!(Isa::BASE.with(&A).lacks(&needs_m), Some("isa.m"));
        assert!(EXTENSIONS.iter().flat_map(|extension| extension.requires).all(|key| Key::find(key).is_some()));
    }
}
