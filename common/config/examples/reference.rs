//! Prints the text of `docs/manual/configuration.md`:
//! `cargo run -p weft-config --example reference > docs/manual/configuration.md`.

fn main() {
    print!("{}", weft_config::reference());
}
