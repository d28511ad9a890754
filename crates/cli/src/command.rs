//! The command line as clap knows it, and what runs it.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use crate::call::Call;
use crate::completions::Completions;
use crate::connection;
use crate::failure::{EXIT_CODES, Failure, Outcome};
use crate::generated::OPERATIONS;
use crate::operation::{Operation, Parameter};
use crate::output::{self, Output};

const COMPLETIONS: &str = "completions";
const ALL: &str = "all";

/// The operation that is called, and how.
#[derive(Clone, Debug)]
pub struct Options {
    matches: ArgMatches,
}

impl Options {
    /// Calls the operation, and writes what it answers. `whole` is the command line that this is a part of.
    pub async fn run(self, whole: Command) -> ExitCode {
        let outcome = match self.matches.subcommand() {
            Some((COMPLETIONS, matches)) => match Completions::from_arg_matches(matches) {
                Ok(completions) => completions.print(whole).map_err(Failure::from),
                Err(error) => Err(Failure::Usage(error.to_string())),
            },
            Some((name, matches)) => call(name, matches).await,
            None => Err(Failure::Usage("no operation is named; see --help".to_owned())),
        };
        let Err(failure) = outcome else {
            return ExitCode::SUCCESS;
        };
        let code = failure.exit_code();
        if code != 0 {
            // Where standard error fails, nobody could be told.
            let _ = writeln!(io::stderr(), "wearlab: {}", failure.line());
        }
        code.into()
    }
}

impl Args for Options {
    fn augment_args(command: Command) -> Command {
        let command = connection::add(output::add(command))
            .subcommand_required(true)
            .arg_required_else_help(true)
            .subcommand_value_name("OPERATION")
            .subcommand_help_heading("Operations")
            .disable_help_subcommand(true)
            .after_help(EXIT_CODES)
            .subcommands(OPERATIONS.iter().map(|operation| subcommand(operation)));
        let completions = Completions::augment_args(Command::new(COMPLETIONS));
        command.subcommand(completions.about("Print the completions of all commands, for a shell"))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Options {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let matches = matches.clone();
        Ok(Self { matches })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.matches = matches.clone();
        Ok(())
    }
}

fn subcommand(operation: &'static Operation) -> Command {
    let command = Command::new(operation.name)
        .about(operation.about)
        .long_about(operation.details)
        .args(operation.parameters.iter().map(option));
    if !operation.paged {
        return command;
    }
    let all = Arg::new(ALL)
        .long(ALL)
        .action(ArgAction::SetTrue)
        .help("Page through to the end; as JSON, one line an item, as they come");
    command.arg(all)
}

fn option(parameter: &'static Parameter) -> Arg {
    Arg::new(parameter.option)
        .long(parameter.option)
        .value_name(parameter.shown)
        .help(parameter.help)
        .required(parameter.required)
        .allow_negative_numbers(true)
        .value_parser((parameter.parser)(parameter.values))
}

async fn call(name: &str, matches: &ArgMatches) -> Outcome {
    let operation = OPERATIONS.iter().find(|operation| operation.name == name);
    let operation = operation.ok_or_else(|| Failure::Usage(format!("there is no operation {name}")))?;
    connection::check_credentials(operation, matches)?;
    let client = connection::client(matches)?;
    let mut output = Output::of(matches, operation.columns);
    let all = operation.paged && matches.get_flag(ALL);
    (operation.run)(Call::new(&client, matches, &mut output, all)).await
}

#[cfg(test)]
mod tests {
    use clap::{Args, Command};

    use super::Options;

    #[test]
    fn no_two_options_are_called_the_same() {
        Options::augment_args(Command::new("api")).debug_assert();
    }
}
