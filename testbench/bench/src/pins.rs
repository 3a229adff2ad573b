//! The ports of a core, each looked up once.

use rtl::Direction::{Input, Output};
use weft_config::Config;
use weft_trace::{Ports as _, Sizes, TracePorts};

use verilate::{Model, ModelError, Port};

/// Declares sets of ports and their lookup in a core's model. Port names are the field names after a prefix.
macro_rules! pins {
    ($($(#[$meta:meta])* $name:ident: $prefix:literal { $($port:ident: $direction:ident $width:expr,)* })*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $name { $(pub(crate) $port: Port,)* }

        impl $name {
            /// Looks up the ports of a core of this configuration, which must have them.
            #[allow(dead_code, reason = "one macro declares all sets of ports")]
            pub(crate) fn of(model: &Model, config: &Config) -> Result<Self, ModelError> {
                Self::at("", model, config)
            }

            /// The same at the pipeline, where an adaptor has ports with the same names at the top.
            #[allow(dead_code, reason = "one macro declares all sets of ports")]
            pub(crate) fn of_pipeline(model: &Model, config: &Config) -> Result<Self, ModelError> {
                Self::at("pipeline_", model, config)
            }

            fn at(prefix: &str, model: &Model, config: &Config) -> Result<Self, ModelError> {
                let widths = &Widths::of(config);
                let port = |name: &str, width: usize, direction| {
                    let inner = model.port(&format!("{prefix}{name}"), width, direction);
                    inner.or_else(|_| model.port(name, width, direction))
                };
                Ok(Self {
                    $($port: {
                        let width: fn(&Widths) -> usize = $width;
                        port(concat!($prefix, stringify!($port)), width(widths), $direction)?
                    },)*
                })
            }
        }
    )*};
}

struct Widths {
    threads: usize,
    warp: usize,
    lane: usize,
    tag: usize,
    hart: usize,
    /// Bits that tell a refill of the instruction cache from other reads.
    refill: usize,
    /// Bits of a line of the instruction cache.
    line: usize,
    /// Bits of a beat on the bus.
    beat: usize,
}

impl Widths {
    fn of(config: &Config) -> Self {
        let index = |count: u32| count.next_power_of_two().trailing_zeros().max(1) as usize;
        Self {
            threads: config.threads as usize,
            warp: index(config.warps),
            lane: index(config.threads),
            tag: index(config.memory.outstanding),
            hart: index(config.warps * config.threads),
            refill: usize::from(config.icache.exists()),
            line: 8 * config.icache.line_bytes as usize,
            beat: config.bus_bits() as usize,
        }
    }
}

pins! {
    Ports: "" {
        clk: Input |_| 1,
        rst: Input |_| 1,
        console_valid: Output |_| 1,
        console_data: Output |_| 8,
        done: Output |_| 1,
        error_valid: Output |_| 1,
        error_cause: Output |_| 4,
        error_pc: Output |_| 32,
        error_warp: Output |w| w.warp,
        error_lane: Output |w| w.lane,
        error_address: Output |_| 32,
        exit_valid: Output |_| 1,
        exit_code: Output |_| 32,
        exit_hart: Output |w| w.hart,
    }

    /// Whether the bench takes a byte of the console.
    ConsoleAnswer: "" { console_ready: Input |_| 1, }

    /// Whether the control block in the core takes a byte.
    ObservedConsole: "" { console_ready: Output |_| 1, }

    ControlPorts: "s_axil_" {
        awvalid: Input |_| 1,
        awready: Output |_| 1,
        awaddr: Input |_| 20,
        awprot: Input |_| 3,
        wvalid: Input |_| 1,
        wready: Output |_| 1,
        wdata: Input |_| 32,
        wstrb: Input |_| 4,
        bvalid: Output |_| 1,
        bready: Input |_| 1,
        bresp: Output |_| 2,
        arvalid: Input |_| 1,
        arready: Output |_| 1,
        araddr: Input |_| 20,
        arprot: Input |_| 3,
        rvalid: Output |_| 1,
        rready: Input |_| 1,
        rdata: Output |_| 32,
        rresp: Output |_| 2,
    }

    /// The fetches of a core without an instruction cache, at the top or inside it.
    FetchPorts: "" {
        imem_req_valid: Output |_| 1,
        imem_req_addr: Output |_| 32,
    }

    /// The core's requests to its data memory, at the top or inside it.
    RequestPorts: "" {
        dmem_req_valid: Output |_| 1,
        dmem_req_op: Output |_| 4,
        dmem_req_addr: Output |_| 32,
        dmem_req_tag: Output |w| w.tag,
        dmem_req_mask: Output |w| 4 * w.threads,
        dmem_req_data: Output |w| 32 * w.threads,
    }

    /// The bench's responses at the fetch port at the top of a core.
    FetchAnswers: "" {
        imem_req_ready: Input |_| 1,
        imem_rsp_valid: Input |_| 1,
        imem_rsp_data: Input |_| 32,
    }

    /// The refill port of an instruction cache at the top of a core.
    RefillPorts: "" {
        ifill_req_valid: Output |_| 1,
        ifill_req_ready: Input |_| 1,
        ifill_req_addr: Output |_| 32,
        ifill_rsp_valid: Input |_| 1,
        ifill_rsp_ready: Output |_| 1,
        ifill_rsp_data: Input |w| w.line,
        ifill_rsp_error: Input |_| 1,
    }

    /// A further answer to a refill, if the divergence unit reads the reconvergence table.
    RefillEntries: "" { ifill_rsp_reconvergence: Input |w| w.line, }

    /// A further response, if the divergence unit reads the reconvergence table.
    ReconvergenceAnswer: "" { imem_rsp_reconvergence: Input |_| 32, }

    /// The bench's responses at the data port at the top of a core.
    AnswerPorts: "" {
        dmem_req_ready: Input |_| 1,
        dmem_rsp_valid: Input |_| 1,
        dmem_rsp_tag: Input |w| w.tag,
        dmem_rsp_data: Input |w| 32 * w.threads,
    }

    BusPorts: "m_axi_" {
        awvalid: Output |_| 1,
        awid: Output |w| w.tag,
        awaddr: Output |_| 32,
        awlen: Output |_| 8,
        awsize: Output |_| 3,
        awburst: Output |_| 2,
        awlock: Output |_| 1,
        awcache: Output |_| 4,
        awprot: Output |_| 3,
        awready: Input |_| 1,
        wvalid: Output |_| 1,
        wready: Input |_| 1,
        wdata: Output |w| w.beat,
        wstrb: Output |w| w.beat / 8,
        wlast: Output |_| 1,
        bvalid: Input |_| 1,
        bready: Output |_| 1,
        bid: Input |w| w.tag,
        bresp: Input |_| 2,
        arvalid: Output |_| 1,
        arid: Output |w| w.tag + w.refill,
        araddr: Output |_| 32,
        arlen: Output |_| 8,
        arsize: Output |_| 3,
        arburst: Output |_| 2,
        arlock: Output |_| 1,
        arcache: Output |_| 4,
        arprot: Output |_| 3,
        arready: Input |_| 1,
        rvalid: Input |_| 1,
        rready: Output |_| 1,
        rid: Input |w| w.tag + w.refill,
        rdata: Input |w| w.beat,
        rresp: Input |_| 2,
        rlast: Input |_| 1,
    }

    /// Further outputs of a core with an AXI4 master, at the top unless a control block reads them.
    BusState: "" {
        bus_error_valid: Output |_| 1,
        bus_error_write: Output |_| 1,
        bus_error_decode: Output |_| 1,
        bus_error_addr: Output |_| 32,
    }

    Done: "" { done: Output |_| 1, }

    /// The responses of memory in the core, as the bench sees it.
    ObservedAnswers: "" {
        dmem_req_ready: Output |_| 1,
        dmem_rsp_valid: Output |_| 1,
        dmem_rsp_tag: Output |w| w.tag,
        dmem_rsp_data: Output |w| 32 * w.threads,
    }

    /// The answer of an instruction cache in the core, as the bench sees it.
    ObservedFetch: "" {
        imem_req_valid: Output |_| 1,
        imem_req_ready: Output |_| 1,
    }

    /// A port that only a core with windows has.
    WindowPorts: "" { dmem_req_window: Output |_| 1, }

    /// Ports that only a core with atomic operations has.
    AtomicPorts: "" { dmem_req_hart: Output |w| w.hart, }
}

pub(crate) fn trace_ports(model: &Model, config: &Config) -> Result<TracePorts<Port>, ModelError> {
    let sizes = Sizes { warps: config.warps as usize, threads: config.threads as usize };
    let mut failed = None;
    let ports = TracePorts::build(&mut |field| {
        let port = model.port(&format!("trace_{}", field.port), (field.width)(sizes), Output);
        port.map_err(|error| failed = failed.take().or(Some(error))).ok()
    });
    if let Some(error) = failed {
        return Err(error);
    }
    let mut found = ports.fields().into_iter().filter_map(|(_, port)| *port).collect::<Vec<_>>().into_iter();
    Ok(TracePorts::build(&mut |_| found.next().expect("every port was found")))
}

pub(crate) fn byte_mask(model: &Model, port: Port) -> [u64; 4] {
    let mut mask = [0; 4];
    if model.bits(port) <= 64 {
        mask[0] = model.get(port);
    } else {
        for (index, word) in model.words(port).iter().enumerate() {
            mask[index / 2] |= u64::from(*word) << (32 * (index % 2));
        }
    }
    mask
}
