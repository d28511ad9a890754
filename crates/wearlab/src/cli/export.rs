//! `wearlab export`: writes everything in the store as lines for `wearlab import`.

use std::io::Write;

use anyhow::Result;
use wearlab_models::Masked;
use wearlab_store::Record;

use super::output::{self, Output, WriteError};
use super::progress;
use super::store_args::StoreArgs;

/// Options of the command.
#[derive(clap::Args)]
pub(super) struct Options {
    /// Include keys (as hashes), and the passwords and keys of pipelines.
    #[arg(long)]
    with_secrets: bool,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    store: StoreArgs,
}

pub(super) async fn run(options: Options) -> Result<()> {
    let store = options.store.open().await?;
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
    options.output.report(format_args!(
        "wrote {records} {}",
        if records == 1 { "record" } else { "records" }
    ))
}

/// Returns a record without its secrets; none if the record is a secret. A new kind of record is decided on here, or does not
/// compile.
fn shown(record: Record, with_secrets: bool) -> Option<Record> {
    match record {
        record if with_secrets => Some(record),
        Record::Key(_) => None,
        Record::Pipeline(pipeline) => Some(Record::Pipeline(Masked::new(pipeline).into_inner())),
        Record::Organisation(_)
        | Record::Team(_)
        | Record::Provider(_)
        | Record::CancellationReason(_)
        | Record::LabTest(_)
        | Record::LabAccount(_)
        | Record::User(_)
        | Record::Connection(_)
        | Record::Device(_)
        | Record::Order(_)
        | Record::Values(_) => Some(record),
    }
}
