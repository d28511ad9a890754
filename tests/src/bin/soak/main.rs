//! A soak of the service: kill -9 under load, and a backlog while its destination is down. Everything is looked at from
//! outside: processes, what they print, what the interface answers, and what the destination gets.
//!
//! `cargo xtask soak` builds and runs it.

#![expect(clippy::print_stdout, reason = "a program that prints its progress")]

mod arrival;
mod backlog;
mod cluster;
mod control;
mod effects;
mod finish;
mod ingest_process;
mod ledger;
mod ledgers;
mod load;
mod meter;
mod model;
mod plan;
mod probe;
mod reads;
mod received;
mod receiver;
mod resumed;
mod rounds;
mod sink;
mod takeover;
mod world;

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, ValueEnum};
use rand::RngExt;

use crate::plan::Plan;
use crate::sink::{Broker, Receiver, Sink};
use wearlab_tests::process::{Postgres, Wearlab};

/// Kills the service and the ingest at random moments under load, and compares what is left with what must be there.
#[derive(Parser)]
#[command(name = "soak", bin_name = "cargo xtask soak")]
struct Options {
    /// How many rounds.
    #[arg(long, value_name = "N", default_value_t = 100)]
    rounds: u32,
    /// In place of rounds: so many events while the destination is down, which all go out when it is back.
    #[arg(long, value_name = "N", conflicts_with = "rounds")]
    backlog: Option<usize>,
    /// Where the events go.
    #[arg(long, value_enum, default_value_t = Kind::Webhook)]
    sink: Kind,
    /// In how many of the rounds the broker is killed, too: a fifth of them, unless it is said.
    #[arg(long, value_name = "M")]
    broker_kills: Option<u32>,
    /// What is done follows from it; a random one, unless it is given.
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// How many arrivals there are in a second, about.
    #[arg(long, value_name = "N", default_value_t = 400.0)]
    rate: f64,
    /// Several services on a PostgreSQL database, which are paused, too; the database is stopped and killed. Debian's
    /// package postgresql must be there.
    #[arg(long, conflicts_with = "backlog")]
    database: bool,
    /// How many services share the database.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(2..=3), requires = "database")]
    services: u16,
    /// In how many of the rounds a service is paused for longer than its leases last: a third, unless it is said.
    #[arg(long, value_name = "M", requires = "database")]
    pauses: Option<u32>,
    /// In how many of the rounds the database is stopped or killed: a tenth, unless it is said.
    #[arg(long, value_name = "M", requires = "database")]
    database_kills: Option<u32>,
    /// In place of rounds: a service is paused in the middle of a delivery, and goes on when another one has its work.
    #[arg(long, requires = "database", conflicts_with = "rounds")]
    resumed: bool,
    /// More settings of the service, such as webhooks.in_flight=32.
    #[arg(long = "set", value_name = "SETTING=VALUE")]
    settings: Vec<String>,
    /// The binary under test, in place of the one that stands beside this.
    #[arg(long, value_name = "FILE")]
    wearlab: Option<PathBuf>,
    /// Keep the directory also where all is well.
    #[arg(long)]
    keep: bool,
}

/// A kind of destination.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Kind {
    /// A receiver of webhooks, which fails in several ways.
    Webhook,
    /// A RabbitMQ broker, which is killed. Debian's package rabbitmq-server must be there.
    Rabbitmq,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let seed = options.seed.unwrap_or_else(|| u64::from(rand::rng().random::<u32>()));
    println!("seed {seed}");
    match soak(&options, seed) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("soak: seed {seed}: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn soak(options: &Options, seed: u64) -> Result<()> {
    let binary = match &options.wearlab {
        Some(binary) => binary.clone(),
        None => std::env::current_exe()?.with_file_name(format!("wearlab{}", std::env::consts::EXE_SUFFIX)),
    };
    let directory = tempfile::Builder::new().prefix("wearlab-soak-").tempdir()?;
    // A database server has a user of its own, where this is root.
    std::fs::set_permissions(directory.path(), Permissions::from_mode(0o711))?;
    let mut sink: Box<dyn Sink> = match options.sink {
        Kind::Webhook => Box::new(Receiver::new()?),
        Kind::Rabbitmq => Box::new(Broker::new(&directory.path().join("broker"))?),
    };
    let quiet = vec!["log.filter=warn".to_owned()];
    let settings = [quiet, sink.settings(), options.settings.clone()].concat();
    let wearlab = Wearlab::new(binary, directory.path(), settings);
    let outcome = match options.backlog {
        Some(count) => backlog::run(&wearlab, sink.as_mut(), directory.path(), count, seed),
        None if options.database => {
            let database = Postgres::new(&directory.path().join("database"))?;
            let wearlab = wearlab.on(database.url()?);
            match options.resumed {
                true => resumed::run(&wearlab.with(&resumed::SETTINGS)),
                false => rounds::run(&wearlab, sink.as_mut(), Some(&database), &options.plan(seed)),
            }
        }
        None => rounds::run(&wearlab, sink.as_mut(), None, &options.plan(seed)),
    };
    if options.keep || outcome.is_err() {
        println!(
            "the store and the service's log are kept in {}",
            directory.keep().display()
        );
    }
    outcome
}

impl Options {
    /// Without a database there is one service: nobody else takes over what it does, and it is not paused.
    fn plan(&self, seed: u64) -> Plan {
        let of_database = |rounds| if self.database { rounds } else { 0 };
        Plan {
            services: if self.database { self.services.into() } else { 1 },
            rounds: self.rounds,
            pauses: of_database(self.pauses.unwrap_or(self.rounds / 3)),
            database_kills: of_database(self.database_kills.unwrap_or(self.rounds / 10)),
            broker_kills: self.broker_kills(),
            seed,
            rate: self.rate,
        }
    }

    fn broker_kills(&self) -> Option<u32> {
        match self.sink {
            Kind::Webhook => None,
            Kind::Rabbitmq => Some(self.broker_kills.unwrap_or(self.rounds / 5)),
        }
    }
}
