//! Writes bundles of several kinds of orders and results: `cargo run -p wearlab-fhir --example bundles -- DIRECTORY`.

mod samples;

use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let usage = || io::Error::other("usage: bundles DIRECTORY");
    let directory = env::args_os().nth(1).map(PathBuf::from).ok_or_else(usage)?;
    fs::create_dir_all(&directory)?;
    for (name, order, results) in samples::all() {
        let bundle = wearlab_fhir::bundle(&order, &results);
        fs::write(directory.join(format!("{name}.json")), format!("{bundle:#}"))?;
    }
    Ok(())
}
