//! `wearlab export`: everything in the store, as lines that `wearlab import` reads.

use std::io::Write;

use anyhow::Result;
use wearlab_store::Record;

use super::output::{self, Output, WriteError};
use super::place::Place;
use super::progress;

/// What can be set.
#[derive(clap::Args)]
pub(super) struct Options {
    /// Write keys (as hashes) too, and pipelines with the passwords and keys in their addresses.
    #[arg(long)]
    with_secrets: bool,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    place: Place,
}

pub(super) async fn run(options: Options) -> Result<()> {
    let store = options.place.open().await?;
    let mut output = options.output.open()?;
    let bar = progress::count(None, "records");
    let written = store.export(|record| match shown(record, options.with_secrets) {
        Some(record) => {
            bar.inc(1);
            output::write_line(&mut output, &record)
        }
        None => Ok(()),
    });
    let written: Result<(), WriteError> = written.await;
    bar.finish_and_clear();
    output::finish(written.and_then(|()| Ok(output.flush()?)))?;
    let records = bar.position();
    options.output.tell(format_args!(
        "wrote {records} {}",
        if records == 1 { "record" } else { "records" }
    ))
}

/// A record without its secrets, or nothing if it is one.
fn shown(record: Record, with_secrets: bool) -> Option<Record> {
    match record {
        record if with_secrets => Some(record),
        Record::Key(_) => None,
        Record::Pipeline(pipeline) => Some(Record::Pipeline(wearlab_delivery::pipeline::mask(pipeline))),
        record => Some(record),
    }
}
