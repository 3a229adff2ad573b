//! Prints the text of `docs/manual/registers.md`:
//! `cargo run -p weft-cores --example registers > docs/manual/registers.md`.

fn main() {
    print!("{}", cores::control::registers::reference());
}
