//! Instances under construction: the net on each port.

use crate::builder::Builder;
use crate::each::Each;
use crate::expr::{Expr, zeros};
use crate::module::{Driver, InstanceData, Item, Module};
use crate::net::NetKind;
use crate::structure::join;
use crate::{Direction, PortInfo};

pub struct Instance {
    pub(crate) parent: Builder,
    pub(crate) item: usize,
    pub(crate) name: String,
    pub(crate) module: Module,
    pub(crate) each: Option<Each>,
}

impl Instance {
    fn with<R>(&self, change: impl FnOnce(&mut InstanceData) -> R) -> R {
        match &mut self.parent.0.borrow_mut().items[self.item] {
            Item::Instance(data) => change(data),
            _ => unreachable!("an instance's item never moves"),
        }
    }

    /// Returns position and width of a port. A port that does not appear has no position.
    #[track_caller]
    fn port(&self, name: &str, direction: Direction) -> (Option<usize>, usize) {
        let finished = self.module.finished();
        let found = finished.positions.get(name).map(|position| (*position, &finished.ports[*position]));
        match (found, finished.body.hidden_ports.get(name)) {
            (Some((position, port)), _) if port.direction == direction && !port.is_implicit() => {
                (Some(position), port.width)
            }
            (None, Some(width)) if direction == Direction::Input || *width == 0 => (None, *width),
            _ => panic!("module `{}` has no {direction:?} port `{name}`", self.module.name()),
        }
    }

    #[track_caller]
    fn check_width(&self, port: &str, width: usize, value: &Expr) {
        value.check_width(width, format_args!("port `{port}` of `{}`", self.module.name()));
    }

    #[track_caller]
    pub fn input(&self, port: &str, value: &Expr) -> &Self {
        self.connect(port, vec![value.clone()])
    }

    /// Connects an input of each instance in a loop to its own value. If the values cannot share one text, a wire
    /// `instance_port` holds them.
    #[track_caller]
    pub fn input_each(&self, port: &str, mut value: impl FnMut(usize) -> Expr) -> &Self {
        let Some(each) = self.each else { return self.input(port, &value(0)) };
        let values = each.map(value);
        if self.parent.is_loop(each, &values) {
            return self.connect(port, values);
        }
        let wire = self.parent.wire(&format!("{}_{port}", self.name), &join(&values));
        self.connect(port, each.map(|number| wire.lane(number, values[number].width())))
    }

    /// Connects an input of each instance in a loop to its part of `value`.
    #[track_caller]
    pub fn input_parts(&self, port: &str, value: &Expr) -> &Self {
        let count = self.each.map_or(1, |each| each.count);
        assert!(value.width().is_multiple_of(count), "{count} instances `{}` cannot share `{value:?}`", self.name);
        self.input_each(port, |number| value.lane(number, value.width() / count))
    }

    pub(crate) fn unconnected(&self) -> Vec<String> {
        let ports = self.module.port_list();
        let is_open = |(port, values): &(&PortInfo, &Vec<Expr>)| {
            port.direction == Direction::Input && !port.is_implicit() && values.is_empty()
        };
        self.with(|data| ports.iter().zip(&data.inputs).filter(is_open).map(|(port, _)| port.name.clone()).collect())
    }

    #[track_caller]
    fn connect(&self, port: &str, values: Vec<Expr>) -> &Self {
        let (place, width) = self.port(port, Direction::Input);
        values.iter().for_each(|value| self.check_width(port, width, value));
        if let Some(position) = place {
            self.with(|data| {
                let input = &mut data.inputs[position];
                assert!(input.is_empty(), "input `{port}` of `{}` is connected twice", self.name);
                *input = values;
            });
        }
        self
    }

    /// Returns position and width of an output, of all instances of a loop together.
    #[track_caller]
    fn output_port(&self, port: &str) -> (Option<usize>, usize) {
        let (position, width) = self.port(port, Direction::Output);
        (position, width * self.each.map_or(1, |each| each.count))
    }

    /// Reads an output, on a net named `instance_port`. A port of no bits gives no bits.
    #[track_caller]
    pub fn output(&self, port: &str) -> Expr {
        self.output_as(port, &format!("{}_{port}", self.name))
    }

    /// Reads an output, on a net with the given name unless the port has a net already.
    #[track_caller]
    pub fn output_as(&self, port: &str, net: &str) -> Expr {
        let (Some(position), width) = self.output_port(port) else { return zeros(0) };
        if let Some(known) = self.with(|data| data.outputs[position].clone()) {
            return Expr::net(&known);
        }
        let net = self.parent.net(net, width, NetKind::InstanceOutput);
        self.with(|data| data.outputs[position] = Some(net.clone()));
        Expr::net(&net)
    }

    /// Reads an output, on a net with the name of the port.
    #[track_caller]
    pub fn net(&self, port: &str) -> Expr {
        self.output_as(port, port)
    }

    /// Connects outputs to the inputs of the same names of another instance, on nets of these names.
    #[track_caller]
    pub fn feeds(&self, other: &Instance, ports: &[&str]) {
        for port in ports {
            other.input(port, &self.net(port));
        }
    }

    #[track_caller]
    pub fn output_to(&self, port: &str, wire: &Expr) -> &Self {
        let (place, width) = self.output_port(port);
        self.check_width(port, width, wire);
        if let Some(position) = place {
            match self.with(|data| data.outputs[position].clone()) {
                Some(known) => {
                    self.parent.drive_wire(wire, Driver::Value(Expr::net(&known)));
                }
                None => {
                    let net = self.parent.drive_wire(wire, Driver::Instance);
                    self.with(|data| data.outputs[position] = Some(net));
                }
            }
        }
        self
    }
}
