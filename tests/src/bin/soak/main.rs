//! Soak test of the service: kill -9 under load, and a backlog while its destination is down. It tests from outside:
//! processes, their output, responses of the API, and deliveries to the destination.
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

/// Kills the service and the ingest at random moments under load, and compares the result with the expected state.
#[derive(Parser)]
#[command(name = "soak", bin_name = "cargo xtask soak")]
struct Options {
    /// Number of rounds.
    #[arg(long, value_name = "N", default_value_t = 100)]
    rounds: u32,
    /// Instead of rounds: number of events while the destination is down, which are all delivered when it is back.
    #[arg(long, value_name = "N", conflicts_with = "rounds")]
    backlog: Option<usize>,
    /// Destination of the events.
    #[arg(long, value_enum, default_value_t = Kind::Webhook)]
    sink: Kind,
    /// Number of rounds in which the broker is killed, too. Default: a fifth of the rounds.
    #[arg(long, value_name = "M")]
    broker_kills: Option<u32>,
    /// Seed of all random choices. Default: a random one.
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Approximate number of arrivals in a second.
    #[arg(long, value_name = "N", default_value_t = 400.0)]
    rate: f64,
    /// Run several services on a PostgreSQL database, and pause them, too. The database is stopped and killed. Needs
    /// Debian's package postgresql.
    #[arg(long, conflicts_with = "backlog")]
    database: bool,
    /// Number of services that share the database.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(2..=3), requires = "database")]
    services: u16,
    /// Number of rounds in which a service is paused for longer than its leases last. Default: a third of the rounds.
    #[arg(long, value_name = "M", requires = "database")]
    pauses: Option<u32>,
    /// Number of rounds in which the database is stopped or killed. Default: a tenth of the rounds.
    #[arg(long, value_name = "M", requires = "database")]
    database_kills: Option<u32>,
    /// Instead of rounds: a service is paused during a delivery, and resumed when another one has its leases.
    #[arg(long, requires = "database", conflicts_with = "rounds")]
    resumed: bool,
    /// Additional settings of the service, such as webhooks.in_flight=32.
    #[arg(long = "set", value_name = "SETTING=VALUE")]
    settings: Vec<String>,
    /// The binary under test. Default: the one beside this program.
    #[arg(long, value_name = "FILE")]
    wearlab: Option<PathBuf>,
    /// Keep the directory also after a success.
    #[arg(long)]
    keep: bool,
}

/// A kind of destination.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Kind {
    /// A webhook receiver with several kinds of faults.
    Webhook,
    /// A RabbitMQ broker, which is killed. Needs Debian's package rabbitmq-server.
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
    // If this runs as root, the database server has a user of its own.
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
    /// Plans the rounds. Without a database there is one service: no other one can take over, and it is not paused.
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
