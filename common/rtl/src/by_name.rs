//! Connections by name: a signal has one name from the port that drives it to every port that reads it.

use std::collections::{HashMap, HashSet};

use crate::Direction;
use crate::builder::Builder;
use crate::expr::Expr;
use crate::instance::Instance;
use crate::module::{Body, Item, PortData};

impl Builder {
    /// Connects everything unconnected by name. Each input of these instances reads the net of its name. Each output port
    /// and [`Builder::forward`] wire of this module reads the instance output of its name. A net is an input, a wire or a
    /// register of this module, or else an output of one of the instances.
    ///
    /// A port without a net of its name stays unconnected: [`Builder::finish`] reports such an input.
    ///
    /// # Panics
    /// If widths differ, or if two of the instances have an output of a wanted name.
    #[track_caller]
    pub fn connect_by_name(&self, instances: &[&Instance]) {
        let mut nets = named(&self.0.borrow());
        let unconnected: Vec<Vec<String>> = instances.iter().map(|instance| instance.unconnected()).collect();
        let (forwards, ports) = undriven(&self.0.borrow());
        let wanted: HashSet<&String> = unconnected.iter().flatten().chain(&forwards).chain(&ports).collect();
        let mut drivers: HashMap<String, &str> = HashMap::new();
        for instance in instances {
            let outputs = instance.module.port_list().iter().filter(|port| port.direction == Direction::Output);
            for name in outputs.map(|port| &port.name).filter(|name| wanted.contains(name)) {
                let other = drivers.insert(name.clone(), &instance.name);
                if let Some(other) = other {
                    panic!("`{other}` and `{}` both have an output `{name}`", instance.name);
                }
                if forwards.contains(name) {
                    instance.output_to(name, &nets[name]);
                } else if ports.contains(name) {
                    let net = instance.output(name);
                    self.output(name, &net);
                    nets.insert(name.clone(), net);
                } else if !nets.contains_key(name) {
                    nets.insert(name.clone(), instance.net(name));
                }
            }
        }
        for (instance, inputs) in instances.iter().zip(&unconnected) {
            for name in inputs {
                if let Some(net) = nets.get(name) {
                    instance.input(name, net);
                }
            }
        }
    }
}

fn named(body: &Body) -> HashMap<String, Expr> {
    let items = body.items.iter().flat_map(|item| body.nets_of(item));
    body.inputs().chain(items).map(|net| (net.name.clone(), Expr::net(net))).collect()
}

fn undriven(body: &Body) -> (HashSet<String>, HashSet<String>) {
    let forwards = body.items.iter().filter_map(|item| match item {
        Item::Wire { net, driver: None } => Some(net.name.clone()),
        _ => None,
    });
    let ports = body.ports.iter().filter_map(|port| match port {
        PortData::Output { name, driver: None, .. } => Some(name.clone()),
        _ => None,
    });
    (forwards.collect(), ports.collect())
}
