//! Nets: everything in a module that has a name and a value.

use std::cell::OnceCell;

use rust_hdl::core::ast::VerilogLiteral;
use rust_hdl::core::atom::{Atom, AtomKind};
use rust_hdl::core::constraint::PinConstraint;
use rust_hdl::core::synth::VCDValue;
use rust_hdl::core::type_descriptor::{TypeDescriptor, TypeKind};

/// What drives a net.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NetKind {
    Input,
    Wire,
    Register,
    /// The registered output of a memory's read port.
    MemoryRead,
    /// An output of an instance.
    InstanceOutput,
    /// The reset of the module.
    Reset,
}

/// A named net of run-time width, local to one module.
#[derive(Debug)]
pub(crate) struct Net {
    /// Position among the nets of all modules of the process: unique.
    pub id: usize,
    pub name: String,
    pub width: usize,
    pub kind: NetKind,
    /// The module it belongs to.
    pub module: usize,
    /// The output port that the net is in the text, if it is one.
    pub port: OnceCell<String>,
}

impl Net {
    pub fn new(id: usize, name: String, width: usize, kind: NetKind, module: usize) -> Self {
        Self { id, name, width, kind, module, port: OnceCell::new() }
    }

    /// Whether the net is a port of its module already.
    pub fn is_port(&self) -> bool {
        matches!(self.kind, NetKind::Input | NetKind::Reset)
    }

    /// Its name in the text.
    pub fn printed(&self) -> &str {
        self.port.get().unwrap_or(&self.name)
    }
}

/// A net, or a port of an instance, as the checks of rust-hdl see it.
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
