//! The command line.

mod demo;

use std::process::ExitCode;

use clap::Parser;

/// A wearable and lab data service in one binary.
#[derive(Parser)]
#[command(name = "wearlab", version, arg_required_else_help = true)]
enum Command {
    /// Serve sample data, to try the interface or to test against.
    Demo(demo::Options),
}

/// Runs the command that the process was started with.
pub async fn run() -> ExitCode {
    let outcome = match Command::parse() {
        Command::Demo(options) => demo::run(options).await,
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("wearlab: {error:#}");
            ExitCode::FAILURE
        }
    }
}
