//! The command line.

mod demo;

use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

/// A wearable and lab data service in one binary.
#[derive(Parser)]
#[command(name = "wearlab", version, arg_required_else_help = true)]
enum Command {
    /// Serve sample data, to try the interface or to test against.
    Demo(demo::Options),
}

/// Runs the command that the process was started with.
pub async fn run() -> ExitCode {
    let command = match Command::try_parse() {
        Ok(command) => command,
        Err(error) => return explain(&error),
    };
    let outcome = match command {
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

/// Help in full; of a mistake, the one line that says what it is.
fn explain(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let printed = error.print();
        return if printed.is_ok() && !error.use_stderr() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        };
    }
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    eprintln!("wearlab: {}; see --help", line.trim_start_matches("error: "));
    ExitCode::FAILURE
}
