//! Command line.

mod backup;
mod check;
mod config;
mod connecting;
mod connectors;
mod demo;
mod events;
mod export;
mod import;
mod ingest;
mod interrupt;
mod keys;
mod lines;
mod link_token;
mod migrate;
mod opening;
mod output;
mod pipelines;
mod progress;
mod remote;
mod schema;
mod seed;
mod sending;
mod serve;
mod session;
mod store_args;
mod table;
mod teams;
mod terminal;
#[cfg(feature = "top")]
mod top;
mod trigger;
mod user;
mod webhooks;

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};
use tokio::runtime::Runtime;

/// A wearable and lab data service in one binary.
#[derive(Parser)]
#[command(name = "wearlab", version, arg_required_else_help = true)]
enum Command {
    /// Serve sample data, to try the API or to test against it.
    Demo(demo::Options),
    /// Serve the configured store.
    Serve(serve::Options),
    /// Pull from the providers of connectors, beside services on the same store.
    Connect(serve::ConnectOptions),
    /// List the connectors of the configuration.
    #[command(subcommand)]
    Connectors(connectors::Command),
    /// Print the default configuration with comments, or check the configuration in use.
    Config(config::Options),
    /// Import records into the store: JSON lines.
    Import(import::Options),
    /// Ingest arrivals from providers (data, connections and devices): JSON lines.
    Ingest(ingest::Options),
    /// List, show and replay events of the event log.
    #[command(subcommand)]
    Events(events::Command),
    /// Create an event with made-up data, to test a consumer.
    Trigger(trigger::Options),
    /// Check the destinations of pipelines.
    #[command(subcommand)]
    Pipelines(pipelines::Command),
    /// Manage webhook endpoints.
    #[command(subcommand)]
    Webhooks(webhooks::Command),
    /// Export everything in the store as lines for `wearlab import`.
    Export(export::Options),
    /// Generate a synthetic population, as lines to import or directly into the store.
    Seed(seed::Options),
    /// Create, list and revoke keys.
    #[command(subcommand)]
    Keys(keys::Command),
    /// Create link tokens.
    LinkToken(link_token::LinkToken),
    /// Create and list teams.
    #[command(subcommand)]
    Teams(teams::Command),
    /// Create, list, show, change, export and delete users.
    #[command(subcommand)]
    User(user::Command),
    /// Show the live state of a service in a terminal: requests, latencies, destinations, backlog.
    #[cfg(feature = "top")]
    Top(top::Options),
    /// Verify the store, and report damage.
    Check(check::Options),
    /// Write a backup of the store to a file, also while the store is in use.
    Backup(backup::Backup),
    /// Create a store from a backup.
    Restore(backup::Restore),
    /// Copy a store into another one, such as an embedded one into PostgreSQL, and compare the two.
    Migrate(migrate::Options),
    /// Call an operation of the API of any service.
    Api(wearlab_cli::Options),
    /// Serve the operations of the API of any service as tools of the Model Context Protocol, for language models.
    Mcp(wearlab_mcp::Options),
    /// Print the JSON Schema of a line of import or ingest.
    #[command(subcommand)]
    Schema(schema::Command),
    /// Print a completion script for a shell.
    Completions(wearlab_cli::Completions),
}

impl Command {
    /// Returns whether the command only prints. A closed standard output is then not a failure, as it is for a command
    /// that changes the store, or reports rejected lines.
    fn only_lists(&self) -> bool {
        match self {
            Self::Config(_) | Self::Export(_) | Self::Schema(_) | Self::Completions(_) => true,
            Self::Seed(options) => options.only_lists(),
            Self::Events(command) => !matches!(
                command,
                events::Command::Replay(_) | events::Command::AcceptClock { .. }
            ),
            Self::Webhooks(command) => matches!(command, webhooks::Command::List { .. }),
            Self::Keys(command) => matches!(command, keys::Command::List(_)),
            #[cfg(feature = "top")]
            Self::Top(_) => true,
            Self::Connectors(_) => true,
            Self::Teams(command) => matches!(command, teams::Command::List(_)),
            Self::User(command) => command.only_lists(),
            _ => false,
        }
    }
}

/// Runs the command of the process's arguments on a new runtime.
///
/// The future is polled here, so that this crate compiles it once, instead of each binary.
pub fn run() -> ExitCode {
    let runtime = match Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => {
            output::warn_at_exit(format_args!("cannot start: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let code = runtime.block_on(command());
    // Aborted work, such as generating data when asked to stop, is not awaited.
    runtime.shutdown_background();
    code
}

async fn command() -> ExitCode {
    let command = match Command::try_parse() {
        Ok(command) => command,
        Err(error) => return explain(&error),
    };
    let only_lists = command.only_lists();
    let outcome = match command {
        Command::Demo(options) => demo::run(options).await,
        Command::Serve(options) => serve::run(options).await,
        Command::Connect(options) => serve::connect(options).await,
        Command::Connectors(command) => connectors::run(command).await,
        Command::Config(options) => config::run(options),
        Command::Import(options) => import::run(options).await,
        Command::Ingest(options) => ingest::run(options).await,
        Command::Events(command) => events::run(command).await,
        Command::Trigger(options) => trigger::run(options).await,
        Command::Pipelines(command) => pipelines::run(command).await,
        Command::Webhooks(command) => webhooks::run(command).await,
        Command::Export(options) => export::run(options).await,
        Command::Seed(options) => seed::run(options).await,
        Command::Keys(command) => keys::run(command).await,
        Command::LinkToken(options) => link_token::run(options).await,
        Command::Teams(command) => teams::run(command).await,
        Command::User(command) => user::run(command).await,
        #[cfg(feature = "top")]
        Command::Top(options) => top::run(options).await,
        Command::Check(options) => check::run(options).await,
        Command::Backup(options) => backup::run(options).await,
        Command::Restore(options) => backup::restore(options).await,
        Command::Migrate(options) => migrate::run(options).await,
        Command::Schema(command) => schema::run(command),
        Command::Completions(options) => options.print(Command::command()).map_err(output::output_error),
        Command::Api(options) => return options.run(Command::command()).await,
        Command::Mcp(options) => return options.run().await,
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if only_lists && output::is_closed_output(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::warn_at_exit(format_args!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Prints help in full, and an error in one line.
fn explain(error: &clap::Error) -> ExitCode {
    let api = std::env::args_os()
        .nth(1)
        .is_some_and(|first| first == "api" || first == "mcp");
    let failure = match api {
        true => ExitCode::from(wearlab_cli::USAGE),
        false => ExitCode::FAILURE,
    };
    if !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let printed = error.print();
        return if printed.is_ok() && !error.use_stderr() {
            ExitCode::SUCCESS
        } else {
            failure
        };
    }
    if error.kind() == ErrorKind::InvalidUtf8 {
        output::warn(describe_not_utf8(api));
        return failure;
    }
    // The argument may be a key whose option is missing.
    if let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg)
        && api
        && error.kind() == ErrorKind::UnknownArgument
        && !word.starts_with('-')
    {
        output::warn("unexpected argument: parameters are options; see --help");
        return failure;
    }
    // The argument may be a secret whose name is missing.
    if let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg)
        && error.kind() == ErrorKind::ValueValidation
        && option.starts_with("--set ")
    {
        output::warn("--set: expected SETTING=VALUE, such as http.listen=0.0.0.0:8080; see --help");
        return failure;
    }
    let text = error.to_string();
    // Missing arguments are listed on the following lines, up to an empty one.
    let lines = text.lines().map(str::trim).take_while(|line| !line.is_empty());
    let line = lines.collect::<Vec<_>>().join(" ");
    let similar = suggestion(error).map_or_else(String::new, |similar| format!(": did you mean {similar}?"));
    output::warn(format_args!(
        "{}{similar}; see --help",
        line.trim_start_matches("error: ")
    ));
    failure
}

/// Describes text that is not UTF-8: an argument, or environment variables that are read in place of options. Values
/// may be secret.
fn describe_not_utf8(api: bool) -> String {
    if std::env::args_os().any(|argument| argument.to_str().is_none()) {
        return "an argument is not UTF-8".to_owned();
    }
    let is_read = |name: &str| match api {
        true => wearlab_cli::is_variable(name),
        false => name.starts_with("WEARLAB_"),
    };
    let variables = std::env::vars_os().filter(|(_, value)| value.to_str().is_none());
    let names = variables.filter_map(|(name, _)| name.into_string().ok());
    let mut names: Vec<_> = names.filter(|name| is_read(name)).collect();
    names.sort_unstable();
    format!("not UTF-8: the variable {}", names.join(", "))
}

/// Returns the suggestion of clap for an unknown name.
fn suggestion(error: &clap::Error) -> Option<String> {
    let kinds = [
        ContextKind::SuggestedSubcommand,
        ContextKind::SuggestedArg,
        ContextKind::SuggestedValue,
    ];
    match kinds.into_iter().find_map(|kind| error.get(kind))? {
        ContextValue::String(word) => Some(format!("`{word}`")),
        ContextValue::Strings(words) => words.last().map(|word| format!("`{word}`")),
        _ => None,
    }
}
