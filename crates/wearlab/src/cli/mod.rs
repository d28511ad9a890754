//! The command line.

mod backup;
mod check;
mod config;
mod demo;
mod events;
mod export;
mod import;
mod ingest;
mod keys;
mod lines;
mod migrate;
mod opening;
mod output;
mod pipelines;
mod place;
mod progress;
mod schema;
mod seed;
mod sending;
mod serve;
mod table;
mod test_event;
mod trigger;
mod user;
mod webhooks;

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};

/// A wearable and lab data service in one binary.
#[derive(Parser)]
#[command(name = "wearlab", version, arg_required_else_help = true)]
enum Command {
    /// Serve sample data, to try the interface or to test against.
    Demo(demo::Options),
    /// Serve the configured store.
    Serve(serve::Options),
    /// Print the configuration file, with all defaults and everything explained, or check the one in use.
    Config(config::Options),
    /// Put records into the store, one JSON object a line.
    Import(import::Options),
    /// Take what arrives from providers: data, connections and devices, one JSON object a line.
    Ingest(ingest::Options),
    /// Look into the event log.
    #[command(subcommand)]
    Events(events::Command),
    /// Make an event with made-up data, to try a consumer with.
    Trigger(trigger::Options),
    /// Check where the events of teams go.
    #[command(subcommand)]
    Pipelines(pipelines::Command),
    /// Add, list and remove endpoints that events are sent to.
    #[command(subcommand)]
    Webhooks(webhooks::Command),
    /// Write everything in the store as lines that import reads.
    Export(export::Options),
    /// Make a synthetic population, as lines to import or straight into the store.
    Seed(seed::Options),
    /// Make, list and revoke keys.
    #[command(subcommand)]
    Keys(keys::Command),
    /// Make link tokens.
    LinkToken(keys::LinkToken),
    /// List, show and delete users.
    #[command(subcommand)]
    User(user::Command),
    /// Read everything in the store, and say what is damaged.
    Check(check::Options),
    /// Write a copy of the store to a file, while it is in use.
    Backup(backup::Backup),
    /// Make a store from a copy that backup wrote.
    Restore(backup::Restore),
    /// Move a store into another one, such as an embedded one into PostgreSQL, and compare all of it.
    Migrate(migrate::Options),
    /// Call an operation of the interface, at any address.
    Api(wearlab_cli::Options),
    /// Print the JSON Schema of what is imported or ingested.
    #[command(subcommand)]
    Schema(schema::Command),
    /// Print the completions of all commands, for a shell.
    Completions(wearlab_cli::Completions),
}

impl Command {
    /// Whether it only says what there is, so that a reader may leave before the end. What changes the store, or has lines
    /// that may be refused, has failed where nobody takes what it says.
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
            Self::User(command) => !matches!(command, user::Command::Delete(_)),
            _ => false,
        }
    }
}

/// Runs the command that the process was started with.
pub async fn run() -> ExitCode {
    let command = match Command::try_parse() {
        Ok(command) => command,
        Err(error) => return explain(&error),
    };
    let only_lists = command.only_lists();
    let outcome = match command {
        Command::Demo(options) => demo::run(options).await,
        Command::Serve(options) => serve::run(options).await,
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
        Command::LinkToken(options) => keys::run_link_token(options).await,
        Command::User(command) => user::run(command).await,
        Command::Check(options) => check::run(options).await,
        Command::Backup(options) => backup::run(options).await,
        Command::Restore(options) => backup::restore(options).await,
        Command::Migrate(options) => migrate::run(options).await,
        Command::Schema(command) => schema::run(command),
        Command::Completions(options) => options.print(Command::command()).map_err(output::unwritable),
        Command::Api(options) => return options.run(Command::command()).await,
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if only_lists && output::is_enough(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::warn_at_the_end(format_args!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Help in full; of a mistake, what says what it is, in one line.
fn explain(error: &clap::Error) -> ExitCode {
    let api = std::env::args_os().nth(1).is_some_and(|first| first == "api");
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
    // A word that stands alone may be a key that lost its option.
    if let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg)
        && api
        && error.kind() == ErrorKind::UnknownArgument
        && !word.starts_with('-')
    {
        output::warn("unexpected argument: parameters are options; see --help");
        return failure;
    }
    // What is no setting may be a secret that lost its name.
    if let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg)
        && error.kind() == ErrorKind::ValueValidation
        && option.starts_with("--set ")
    {
        output::warn("--set: expected SETTING=VALUE, such as http.listen=0.0.0.0:8080; see --help");
        return failure;
    }
    let text = error.to_string();
    // What is missing is named in lines of its own, up to an empty one.
    let lines = text.lines().map(str::trim).take_while(|line| !line.is_empty());
    let line = lines.collect::<Vec<_>>().join(" ");
    let similar = similar(error).map_or_else(String::new, |similar| format!(": did you mean {similar}?"));
    output::warn(format_args!(
        "{}{similar}; see --help",
        line.trim_start_matches("error: ")
    ));
    failure
}

/// What may have been meant by a word that is none of ours.
fn similar(error: &clap::Error) -> Option<String> {
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
