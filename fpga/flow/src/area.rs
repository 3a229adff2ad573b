//! Areas: cells of an FPGA after technology mapping.

use weft_config::Config;

use crate::cells::{Cells, ModuleArea};
use crate::part::Part;
use crate::placing::Placing;

#[derive(Clone, Debug)]
pub struct Area {
    /// The configuration of the core, without its trace port.
    pub config: Config,
    pub top: String,
    /// The clock frequency that logic is mapped for, in MHz. `None` means the shortest delay on each path.
    pub target_mhz: Option<u32>,
    pub part: &'static Part,
    /// The cells of the flattened core; `None` if only the modules were synthesised. The number is below the sum of the
    /// modules, because logic is shared and simplified across them.
    pub flattened: Option<Cells>,
    /// Whether the core, or a module to place, could not be flattened, because Yosys has too little memory for it.
    pub out_of_memory: bool,
    /// The modules, each synthesised separately; the one with the most LUTs is first.
    pub modules: Vec<ModuleArea>,
    /// The version of the Yosys that counted.
    pub yosys: String,
    /// The place-and-route result of the flattened core, if requested.
    pub placing: Option<Placing>,
    /// The place-and-route results of the modules next to the top by name, if requested. Each is flattened with the modules
    /// below it.
    pub placings: Vec<(String, Placing)>,
}

impl Area {
    /// Makes the area of a core before any count.
    pub(crate) fn of(config: Config, top: String, part: &'static Part, target_mhz: Option<u32>, yosys: &str) -> Self {
        Self {
            config,
            top,
            target_mhz,
            part,
            flattened: None,
            out_of_memory: false,
            modules: Vec::new(),
            yosys: yosys.to_owned(),
            placing: None,
            placings: Vec::new(),
        }
    }

    pub fn sum(&self) -> Cells {
        self.modules.iter().map(|module| module.cells * module.instances).sum()
    }

    /// Returns the cells of the flattened core, or else the sum.
    pub fn total(&self) -> Cells {
        self.flattened.unwrap_or_else(|| self.sum())
    }

    /// Returns the result of a module that was placed separately.
    pub fn placing_of(&self, module: &str) -> Option<&Placing> {
        self.placings.iter().find(|(name, _)| name == module).map(|(_, placing)| placing)
    }

    /// Returns every place-and-route result: of the core, or of its modules in their order.
    pub fn all_placings(&self) -> impl Iterator<Item = &Placing> {
        self.placing.iter().chain(self.modules.iter().filter_map(|module| self.placing_of(&module.name)))
    }

    /// Returns the median frequency of the core, or of the slowest placed module, in MHz.
    pub fn slowest_mhz(&self) -> Option<f64> {
        self.all_placings().filter_map(Placing::median_mhz).min_by(f64::total_cmp)
    }

    /// Returns whether the part has all the cells of the core; placing or routing may still fail. `None` means unknown: the
    /// sum of the modules needs too many LUTs, but the flattened core needs fewer.
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
