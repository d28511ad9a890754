//! Benchmarks: Wearlab is compared with a reference, in turns within the same run, so that a ratio is meaningful on any
//! machine. `tests/bench/README.md` explains the results.
//!
//! `cargo xtask bench` builds and runs it.

#![expect(clippy::print_stdout, reason = "a program that prints its progress")]

mod arrivals;
mod bare;
mod checksums;
mod client;
mod codec;
mod connectors;
mod delivery;
mod diagnoses;
mod environment;
mod footprint;
mod generation;
mod import;
mod ingest;
mod inserts;
mod load;
mod measure;
mod page;
mod peers;
mod plot;
mod population;
mod postgres;
mod reads;
mod results;
mod samples;
mod service;
mod table;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Parser;

use crate::environment::{Environment, Scale};
use crate::results::{Found, Report};

/// Benchmark.
struct Bench {
    name: &'static str,
    about: &'static str,
    run: fn(&Environment) -> Result<Found>,
}

/// Name of the benchmark that installs packages.
const PEERS: &str = "peers";

/// All benchmarks, in the order in which they run and are shown.
const BENCHES: [Bench; 16] = [
    Bench {
        name: "reads",
        about: "operations over HTTP, against a bare axum handler",
        run: reads::run,
    },
    Bench {
        name: "diagnoses",
        about: "the search for diagnoses, against SQLite's full-text search",
        run: diagnoses::run,
    },
    Bench {
        name: "client",
        about: "the client, against hand-written reqwest and serde",
        run: client::run,
    },
    Bench {
        name: "codec",
        about: "reading and writing the models, against hand-written serde structs",
        run: codec::run,
    },
    Bench {
        name: "import",
        about: "import, against bare inserts",
        run: import::run,
    },
    Bench {
        name: "ingest",
        about: "ingest to durable events, against bare inserts",
        run: ingest::run,
    },
    Bench {
        name: "postgres",
        about: "a store in PostgreSQL: reads, against bare tokio-postgres",
        run: postgres::run,
    },
    Bench {
        name: "postgres-writes",
        about: "a store in PostgreSQL: import and ingest, against COPY; webhooks, against a bare client",
        run: postgres::writes,
    },
    Bench {
        name: "samples",
        about: "values: their size against rows, reads against structs in memory, ingest against bare inserts",
        run: samples::run,
    },
    Bench {
        name: "checksums",
        about: "pages with checksums, against pages without",
        run: checksums::run,
    },
    Bench {
        name: "delivery",
        about: "events from the log to brokers and endpoints, against bare clients",
        run: delivery::run,
    },
    Bench {
        name: "delivery-growth",
        about: "events from the log, with more and more users stored",
        run: delivery::growth,
    },
    Bench {
        name: "connectors",
        about: "pulls of histories, against reqwest and serde; a round of many connections; notices",
        run: connectors::run,
    },
    Bench {
        name: "footprint",
        about: "memory, and the time to start",
        run: footprint::run,
    },
    Bench {
        name: "generation",
        about: "regenerate, and compile what is generated, against progenitor",
        run: generation::run,
    },
    Bench {
        name: PEERS,
        about: "what people would use instead; only by this name, missing packages are installed from registries",
        run: peers::run,
    },
];

/// Measures speed, as ratios to references in the same run. Without names: everything.
#[derive(Parser)]
#[command(name = "bench", bin_name = "cargo xtask bench", after_help = list())]
struct Options {
    /// Names of the benchmarks to run.
    names: Vec<String>,
    /// Run at the smallest scale, to check that everything works: the results are meaningless.
    #[arg(long)]
    smoke: bool,
    /// Number of rounds of each result.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rounds: Option<u32>,
    /// Write the results to a file, as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the results into the documentation, in place of earlier ones of the same benchmarks.
    #[arg(long, conflicts_with = "smoke")]
    write: bool,
    /// Only redraw the documentation's table and plots from its results.
    #[arg(long, conflicts_with_all = ["names", "smoke", "rounds", "json", "write"])]
    redraw: bool,
    /// Binary under test. Default: the one beside this program.
    #[arg(long, value_name = "FILE")]
    wearlab: Option<PathBuf>,
    /// Instead of benchmarks: serve a file, as a reference for others.
    #[arg(long, value_name = "FILE", hide = true)]
    serve_file: Option<PathBuf>,
    /// Instead of benchmarks: serve the lines of a file as pages of samples.
    #[arg(long, value_name = "FILE", hide = true)]
    serve_pages: Option<PathBuf>,
    /// Instead of benchmarks: serve users of the PostgreSQL database in the environment.
    #[arg(long, hide = true)]
    serve_postgres: bool,
}

fn list() -> String {
    let lines = BENCHES
        .iter()
        .map(|bench| format!("  {:<16} {}", bench.name, bench.about));
    format!("What there is:\n{}", lines.collect::<Vec<_>>().join("\n"))
}

fn main() -> ExitCode {
    let options = Options::parse();
    let outcome = if let Some(file) = &options.serve_file {
        bare::serve(file)
    } else if let Some(file) = &options.serve_pages {
        samples::serve(file)
    } else if options.serve_postgres {
        postgres::serve()
    } else {
        bench(&options)
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn bench(options: &Options) -> Result<()> {
    let wanted = options.wanted()?;
    let mut scale = if options.smoke { Scale::smoke() } else { Scale::whole() };
    scale.rounds = options.rounds.unwrap_or(scale.rounds);
    // Packages are only installed on request.
    let installs = !options.smoke && options.names.iter().any(|name| name == PEERS);
    let environment = Environment::new(options.wearlab.clone(), scale, installs)?;
    let names = BENCHES.map(|bench| bench.name);
    if options.redraw {
        return page::redraw(&environment, &names);
    }
    let mut report = Report::begin(&environment)?;
    for bench in wanted {
        println!("{}: {}", bench.name, bench.about);
        let found = (bench.run)(&environment).with_context(|| format!("{} failed", bench.name))?;
        print!("{}", table::text(&found));
        report.put(bench.name, found);
    }
    if let Some(file) = &options.json {
        report.write(file)?;
    }
    if options.write {
        page::write(&environment, report, &names)?;
    }
    Ok(())
}

impl Options {
    fn wanted(&self) -> Result<Vec<&'static Bench>> {
        if self.names.is_empty() {
            return Ok(BENCHES.iter().collect());
        }
        let find = |name: &String| match BENCHES.iter().find(|bench| bench.name == name) {
            Some(bench) => Ok(bench),
            None => bail!("nothing is called {name}\n{}", list()),
        };
        self.names.iter().map(find).collect()
    }
}
