//! Command line of the petstore, with a command for each operation: `petstore list-pets --kind dog`.

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

/// Calls the petstore.
#[derive(Parser)]
#[command(name = "petstore")]
struct Arguments {
    #[command(flatten)]
    options: petstore_cli::Options,
}

#[tokio::main]
async fn main() -> ExitCode {
    Arguments::parse().options.run(Arguments::command()).await
}
