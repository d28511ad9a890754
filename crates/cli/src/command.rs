//! The command `api` for clap, and how it runs.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use crate::body;
use crate::call::Call;
use crate::completions::Completions;
use crate::connection;
use crate::failure::{EXIT_CODES, Failure, Outcome};
use crate::generated::OPERATIONS;
use crate::operation::{Operation, Parameter};
use crate::output::{self, Output};

const COMPLETIONS: &str = "completions";
const ALL: &str = "all";

/// The operation to call, with its options.
#[derive(Clone, Debug)]
pub struct Options {
    matches: ArgMatches,
}

impl Options {
    /// Calls the operation and writes the response. `whole` is the command line that contains this command.
    pub async fn run(self, whole: Command) -> ExitCode {
        let outcome = match self.matches.subcommand() {
            Some((COMPLETIONS, matches)) => match Completions::from_arg_matches(matches) {
                Ok(completions) => completions.print(whole).map_err(Failure::from),
                Err(error) => Err(Failure::Usage(error.to_string())),
            },
            Some((name, matches)) => call(name, matches).await,
            None => Err(Failure::Usage("missing operation; see --help".to_owned())),
        };
        let Err(failure) = outcome else {
            return ExitCode::SUCCESS;
        };
        let code = failure.exit_code();
        if code != 0 {
            // A failure of standard error cannot be reported.
            let tried = self
                .matches
                .subcommand()
                .and_then(|(_, matches)| connection::default_url(matches));
            let tried = match tried.filter(|_| failure.is_unreached()) {
                Some(url) => format!("; no --base-url is given, so {url} was tried"),
                None => String::new(),
            };
            let _ = writeln!(io::stderr(), "wearlab: {}{tried}", failure.line());
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
        command.subcommand(completions.about("Print a completion script for a shell"))
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
        .args(operation.parameters.iter().map(option))
        .args(operation.body.iter().flat_map(body::options));
    if !operation.paged {
        return command;
    }
    let all = Arg::new(ALL)
        .long(ALL)
        .action(ArgAction::SetTrue)
        .help("Follow all pages; as JSON, prints one item per line");
    command.arg(all)
}

fn option(parameter: &'static Parameter) -> Arg {
    Arg::new(parameter.option)
        .long(parameter.option)
        .value_name(parameter.shown)
        .help(parameter.help)
        .required(parameter.required)
        .action(match parameter.list {
            true => ArgAction::Append,
            false => ArgAction::Set,
        })
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
    let headers: Vec<_> = connection::headers(matches).collect();
    let files = operation.body.as_ref().map_or(&[][..], |body| body.files);
    (operation.run)(Call::new(&client, matches, files, &mut output, &headers, all)).await
}

#[cfg(test)]
mod tests {
    use clap::{Args, Command};

    use super::Options;

    #[test]
    fn option_names_are_unique() {
        Options::augment_args(Command::new("api")).debug_assert();
    }
}
