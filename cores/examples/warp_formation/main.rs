//! Prints the Verilog of the structures of dynamic warp formation for W warps of T threads:
//! `cargo run -p weft-cores --example warp_formation -- W T`.

mod structures;

fn main() {
    let sizes: Vec<usize> = std::env::args().skip(1).map(|size| size.parse().expect("two numbers: W T")).collect();
    let [warps, threads] = sizes[..] else { panic!("two numbers: W T") };
    let module = structures::formation(warps, threads).expect("a module");
    module.verilog().iter().for_each(|module| print!("{}", module.text));
}
