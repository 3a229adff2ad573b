//! Areas: cells of an FPGA after technology mapping.

use weft_config::Config;

use crate::cells::{Cells, ModuleArea};
use crate::part::Part;
use crate::placing::Placing;

/// What a core, or a part of one, takes.
#[derive(Clone, Debug)]
pub struct Area {
    /// The configuration of the core, its trace port off.
    pub config: Config,
    /// The module that was synthesised, with all below it.
    pub top: String,
    /// The clock frequency that logic was mapped for, in MHz; `None`: the highest that each path can have.
    pub target_mhz: Option<u32>,
    /// The part that it was mapped for.
    pub part: &'static Part,
    /// The cells of the flattened whole; `None` if only the modules were synthesised. It is less than their sum, since
    /// logic is shared and simplified across them.
    pub flattened: Option<Cells>,
    /// Whether the whole, or a module that was to be placed, could not be flattened because that takes more memory than
    /// Yosys has.
    pub out_of_memory: bool,
    /// The modules, each synthesised by itself, that which takes most LUTs first.
    pub modules: Vec<ModuleArea>,
    /// The Yosys that counted.
    pub yosys: String,
    /// What became of the flattened whole on the part, if it was to be placed.
    pub placing: Option<Placing>,
    /// What became of the modules next to the top, each with all below it and flattened, if they were to be placed one by
    /// one; by name.
    pub placings: Vec<(String, Placing)>,
}

impl Area {
    /// The cells of all instances of all modules.
    pub fn sum(&self) -> Cells {
        self.modules.iter().map(|module| module.cells * module.instances).sum()
    }

    /// The cells of the whole: flattened, or else the sum.
    pub fn total(&self) -> Cells {
        self.flattened.unwrap_or_else(|| self.sum())
    }

    /// The placing of a module by itself.
    pub fn placing_of(&self, module: &str) -> Option<&Placing> {
        self.placings.iter().find(|(name, _)| name == module).map(|(_, placing)| placing)
    }

    /// Every placing that there is: of the whole, or of its modules, in their order.
    pub fn all_placings(&self) -> impl Iterator<Item = &Placing> {
        self.placing.iter().chain(self.modules.iter().filter_map(|module| self.placing_of(&module.name)))
    }

    /// The median frequency of the whole, or that of the slowest of the modules that were placed, in MHz.
    pub fn slowest_mhz(&self) -> Option<f64> {
        self.all_placings().filter_map(Placing::median_mhz).min_by(f64::total_cmp)
    }

    /// Whether the part has all the cells of the whole; placing or routing may still fail. `None` where that is not known: the
    /// modules were counted by themselves, and their sum is too large by LUTs, of which the flattened core has fewer.
    pub fn fits(&self) -> Option<bool> {
        let but_luts = |cells: Cells| Cells { lut: 0, carry: 0, chains: 0, lutram: 0, ..cells };
        match self.flattened {
            Some(cells) => Some(self.part.holds(&cells)),
            None if self.part.holds(&self.sum()) => Some(true),
            None if !self.part.holds(&but_luts(self.sum())) => Some(false),
            None => None,
        }
    }
}
