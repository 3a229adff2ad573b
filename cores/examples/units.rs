//! Prints the names of the registered divergence units, one a line, for scripts that measure all of them:
//! `cargo run -p weft-cores --example units`.

fn main() {
    for name in weft_config::Unit::names() {
        println!("{name}");
    }
}
