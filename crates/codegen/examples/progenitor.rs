//! Progenitor alone, for `cargo xtask bench` to compare with: an OpenAPI document of version 3.0 in JSON, to a formatted
//! client on standard output.

use std::error::Error;
use std::io::Write;

use progenitor_impl::{GenerationSettings, Generator, InterfaceStyle};

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).ok_or("usage: progenitor FILE")?;
    let document = serde_json::from_slice(&std::fs::read(file)?)?;
    let mut settings = GenerationSettings::default();
    settings.with_interface(InterfaceStyle::Builder);
    let client = Generator::new(&settings).generate_tokens(&document)?;
    let text = prettyplease::unparse(&syn::parse2(client)?);
    Ok(std::io::stdout().write_all(text.as_bytes())?)
}
