//! Writes the forms of the samples: `cargo run -p wearlab-requisition --example forms -- DIRECTORY`.

#[path = "../tests/form/samples.rs"]
mod samples;

use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let directory = PathBuf::from(std::env::args().nth(1).ok_or("usage: forms DIRECTORY")?);
    for (name, requisition) in samples::all() {
        std::fs::write(directory.join(name).with_extension("pdf"), requisition.to_pdf()?)?;
    }
    Ok(())
}
