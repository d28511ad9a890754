//! `wearlab seed`: generates a synthetic population, as lines to import or directly into a store.

use std::io::Write;
use std::time::Instant;

use anyhow::{Result, bail};
use wearlab_sample::{Feed, Population, Sample, SampleOptions, Span};
use wearlab_service::administration::keys::random;
use wearlab_store::{Record, Store};

use super::output::{self, Output, print_line};
use super::progress;
use super::store_args::{StoreArgs, failed};

/// The options.
#[derive(clap::Args)]
pub(super) struct Options {
    /// Number of users.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    users: u32,
    /// Seed of the generated data.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Derive the keys from the seed too, for tests: anyone with the seed can derive the keys. By default they are
    /// random.
    #[arg(long)]
    derived_keys: bool,
    /// Include pipelines. Their destinations are remote hosts, which `wearlab serve` connects to.
    #[arg(long)]
    pipelines: bool,
    /// Days of data of each user, up to today: summaries and time series, and the events of these. Older days come as
    /// historical pulls, the last three day by day.
    #[arg(
        long, value_name = "D", default_value_t = 0, requires = "into_store",
        value_parser = clap::value_parser!(u32).range(..=3650)
    )]
    days: u32,
    /// Write into a store, which must be empty, instead of printing lines.
    #[arg(long, conflicts_with = "output")]
    into_store: bool,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    store: StoreArgs,
}

impl Options {
    /// Returns whether it only prints lines.
    pub(super) fn only_lists(&self) -> bool {
        !self.into_store
    }
}

pub(super) async fn run(options: Options) -> Result<()> {
    let population = population(&options);
    if options.into_store {
        let store = options.store.open_or_create().await?;
        // Checked before anything is written.
        store.require_secret_key("orders").map_err(failed)?;
        if !(options.derived_keys && is_filled_with(&store, &options).await?) {
            fill(&store, &options, &population).await?;
        }
        // Printed before the days, which may take long: the keys are stored nowhere else.
        print_summary(&options, population.sample())?;
        return match options.days {
            0 => Ok(()),
            days => feed(&store, &options, days).await,
        };
    }
    write(&options, &population)?;
    match options.output.file() {
        Some(_) => print_summary(&options, population.sample()),
        None => {
            output::warn(format_args!("{}; their keys are in the lines", generated(&options)));
            Ok(())
        }
    }
}

async fn fill(store: &Store, options: &Options, population: &Population) -> Result<()> {
    let bar = progress::count(Some(options.users.into()), "users");
    let filled = population.fill(store, |record| {
        bar.inc(u64::from(matches!(record, Record::User(_))));
    });
    let filled = filled.await;
    bar.finish_and_clear();
    filled.map_err(failed)
}

/// Ingests the days of all users, and prints the rate.
async fn feed(store: &Store, options: &Options, days: u32) -> Result<()> {
    let span = Span {
        days,
        not_before: None,
        now: wearlab_clock::now(),
    };
    let total = u64::from(options.users) * u64::from(days);
    let bar = progress::count(Some(total), "days");
    let start = Instant::now();
    let fed = Feed::new(options.seed).map_err(failed)?;
    let fed = fed.run(store, 0..options.users, span, |days| bar.inc(days)).await;
    bar.finish_and_clear();
    fed.map_err(failed)?;
    let a_second = total as f64 / start.elapsed().as_secs_f64();
    print_line(format_args!("generated {total} days of data, {a_second:.0} a second"))
}

/// Returns whether the store was filled with the same options, so that its derived keys can be printed again.
async fn is_filled_with(store: &Store, options: &Options) -> Result<bool> {
    match wearlab_sample::filled(store).await.map_err(failed)? {
        Some(kept) if kept == options.sample() => Ok(true),
        Some(kept) => bail!(
            "the store was already filled with --seed {} --users {}",
            kept.seed,
            kept.users
        ),
        None => Ok(false),
    }
}

impl Options {
    fn sample(&self) -> SampleOptions {
        SampleOptions {
            seed: self.seed,
            users: self.users,
        }
    }
}

fn population(options: &Options) -> Population {
    let population = Population::new(&options.sample());
    let population = match options.derived_keys {
        true => population,
        false => population.with_keys(random),
    };
    match options.pipelines {
        true => population,
        false => population.without_pipelines(),
    }
}

fn write(options: &Options, population: &Population) -> Result<()> {
    let mut output = options.output.open()?;
    let mut records = population.records().map_err(failed)?;
    let bar = progress::count(Some(options.users.into()), "users");
    let written = records.try_for_each(|record| {
        bar.inc(u64::from(matches!(record, Record::User(_))));
        output::write_line(&mut output, &record)
    });
    bar.finish_and_clear();
    output::finish(written.and_then(|()| Ok(output.flush()?)))
}

/// Prints what was generated, and the keys.
fn print_summary(options: &Options, sample: &Sample) -> Result<()> {
    let other = &sample.other_organisation;
    print_line(generated(options))?;
    for (team, key) in [
        (sample.team_id, &sample.team_api_key),
        (sample.other_team.team_id, &sample.other_team.team_api_key),
        (other.team.team_id, &other.team.team_api_key),
    ] {
        print_line(format_args!("key of team {team}: {key}"))?;
    }
    for (organisation, key) in [
        (&sample.org_id, &sample.management_key),
        (&other.org_id, &other.management_key),
    ] {
        print_line(format_args!("management key of organisation {organisation}: {key}"))?;
    }
    Ok(())
}

fn generated(options: &Options) -> String {
    let Options { users, seed, .. } = options;
    let users = match users {
        1 => "1 user".to_owned(),
        users => format!("{users} users"),
    };
    let pipelines = match options.pipelines {
        true => "with pipelines to remote hosts",
        false => "without pipelines",
    };
    format!("generated {users} in 3 teams of 2 organisations from seed {seed}, {pipelines}")
}
