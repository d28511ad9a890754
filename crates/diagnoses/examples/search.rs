//! Prints hits of the search: `cargo run -p wearlab-diagnoses --example search -- QUERY...`

use std::io::{Write, stdout};
use std::time::Instant;

fn main() -> std::io::Result<()> {
    let mut out = stdout().lock();
    for query in std::env::args().skip(1) {
        let start = Instant::now();
        let hits = wearlab_diagnoses::search(&query, 10);
        writeln!(out, "\n{query} ({:?})", start.elapsed())?;
        for hit in hits {
            writeln!(out, "  {}\t{}", hit.diagnosis_code, hit.description)?;
        }
    }
    Ok(())
}
