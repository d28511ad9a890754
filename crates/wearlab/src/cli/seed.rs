//! `wearlab seed`: a synthetic population, as lines to import or straight into a store.

use std::io::Write;

use anyhow::{Result, bail};

use super::output::{self, Output};
use super::place::{Place, failed};
use crate::sample::{self, SampleOptions};

/// What can be set.
#[derive(clap::Args)]
pub(super) struct Options {
    /// How many users to make.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    users: u32,
    /// What the data and the keys are derived from.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Fill a store, which must be empty, instead of writing lines.
    #[arg(long, conflicts_with = "output")]
    into_store: bool,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    place: Place,
}

pub(super) async fn run(options: Options) -> Result<()> {
    let wanted = SampleOptions {
        seed: options.seed,
        users: options.users,
    };
    if options.into_store {
        return fill(&options.place, &wanted).await;
    }
    let mut output = output::open(options.output.output.as_deref())?;
    let mut records = sample::records(&wanted).map_err(failed)?;
    let written = records.try_for_each(|record| output::write_line(&mut output, &record));
    output::finish(written.and_then(|()| Ok(output.flush()?)))
}

async fn fill(place: &Place, wanted: &SampleOptions) -> Result<()> {
    let store = place.open_or_make().await?;
    sample::fill(&store, wanted).await.map_err(failed)?;
    match sample::filled(&store).await.map_err(failed)? {
        Some(kept) if kept == *wanted => Ok(()),
        Some(kept) => bail!(
            "the store was filled before, with --seed {} --users {}",
            kept.seed,
            kept.users
        ),
        None => Ok(()),
    }
}
