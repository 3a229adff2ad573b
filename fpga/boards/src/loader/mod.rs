//! A core with a control port on a board: its memory is block RAM, and a computer at the serial line is its host.

mod bridge;
mod ram;

pub use bridge::CONTROL;

use cores::Core;
use rtl::{Builder, zeros};
use weft_config::Config;

use crate::board::Board;
use crate::top::{BoardError, Shown};
use crate::uart;

/// Puts the core between block RAM and the serial line of a board.
pub fn connect(m: &Builder, board: &Board, config: &Config, core: &Core, divisor: u64) -> Result<Shown, BoardError> {
    let receive = board.receive.as_ref().ok_or(BoardError::NoReceiver { board: board.name })?;
    let ports = core.ports();
    let width = |name: &str| ports.iter().find(|port| port.name == name).map_or(0, |port| port.width);
    let line = m.input(receive.port, 1);

    m.comment("The core, its memory, and the bridge through which a computer reaches both.");
    let bytes = config.memory.ram_bytes as usize;
    let weft = m.instance("core", core.module());
    let ram = m.instance("ram", &ram::elaborate(bytes, &ports)?);
    let bridge = m.instance("bridge", &bridge::elaborate(bytes, config.memory.base, width("s_axil_awaddr"))?);
    m.connect_by_name(&[&weft, &ram, &bridge]);

    m.comment("Bytes of the serial line.");
    let receiver = m.instance("receiver", &uart::receiver(divisor)?);
    let transmitter = m.instance("transmitter", &uart::transmitter(divisor)?);
    receiver.input("rxd", &line);
    bridge.input("received_valid", &receiver.output("valid")).input("received_byte", &receiver.output("data"));
    transmitter.input("valid", &bridge.output("send_valid")).input("data", &bridge.output("send_byte"));
    let ready = transmitter.output("ready");
    bridge.input("send_ready", &ready);
    m.output(board.transmit, &transmitter.output("txd"));
    Ok(Shown { busy: !&ready, done: weft.output("irq"), failed: zeros(1), code: zeros(4) })
}
