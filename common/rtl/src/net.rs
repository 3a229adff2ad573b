//! Nets: everything in a module that has a name and a value.

use std::cell::OnceCell;

use rust_hdl::core::ast::VerilogLiteral;
use rust_hdl::core::atom::{Atom, AtomKind};
use rust_hdl::core::constraint::PinConstraint;
use rust_hdl::core::synth::VCDValue;
use rust_hdl::core::type_descriptor::{TypeDescriptor, TypeKind};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NetKind {
    Input,
    Wire,
    Register,
    /// The registered output of a memory's read port.
    MemoryRead,
    InstanceOutput,
    Reset,
}

/// A named net of run-time width, local to one module.
#[derive(Debug)]
pub(crate) struct Net {
    /// Unique among the nets of all modules of the process.
    pub id: usize,
    pub name: String,
    pub width: usize,
    pub kind: NetKind,
    pub module: usize,
    /// The output port that stands for the net in the text, if there is one.
    pub port: OnceCell<String>,
}

impl Net {
    pub fn new(id: usize, name: String, width: usize, kind: NetKind, module: usize) -> Self {
        Self { id, name, width, kind, module, port: OnceCell::new() }
    }

    pub fn is_port(&self) -> bool {
        matches!(self.kind, NetKind::Input | NetKind::Reset)
    }

    pub fn printed(&self) -> &str {
        self.port.get().unwrap_or(&self.name)
    }
}

/// A net, or a port of an instance, for the checks of rust-hdl.
pub(crate) struct NetAtom<'a> {
    pub id: usize,
    pub name: &'a str,
    pub width: usize,
    pub kind: AtomKind,
    pub driven: bool,
}

impl Atom for NetAtom<'_> {
    fn bits(&self) -> usize {
        self.width
    }

    fn connected(&self) -> bool {
        self.driven
    }

    fn changed(&self) -> bool {
        false
    }

    fn kind(&self) -> AtomKind {
        self.kind
    }

    fn descriptor(&self) -> TypeDescriptor {
        TypeDescriptor { name: format!("bits_{}", self.width), kind: TypeKind::Bits(self.width) }
    }

    fn vcd(&self) -> VCDValue {
        VCDValue::String(self.name.to_owned())
    }

    fn id(&self) -> usize {
        self.id
    }

    fn verilog(&self) -> VerilogLiteral {
        false.into()
    }

    fn constraints(&self) -> Vec<PinConstraint> {
        Vec::new()
    }
}
