//! Prints the text of `docs/configuration.md`:
//! `cargo run -p weft-config --example reference > docs/configuration.md`.

fn main() {
    print!("{}", weft_config::reference());
}
