//! The command `api` for clap, and how it runs.

use std::io::{self, Write};
use std::marker::PhantomData;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use crate::arguments::Arguments;
use crate::body;
use crate::call::{Call, Sink};
use crate::completions::Completions;
use crate::connection;
use crate::failure::{EXIT_CODES, Failure, Outcome};
use crate::operation::{Commands, Operation, Parameter};
use crate::output::{self, Output};

const COMPLETIONS: &str = "completions";
const ALL: &str = "all";

/// The operation to call, with its options.
#[derive(Clone, Debug)]
pub struct Options<C> {
    matches: ArgMatches,
    of: PhantomData<fn() -> C>,
}

impl<C: Commands> Options<C> {
    /// Calls the operation and writes the response. `whole` is the command line that contains this command.
    pub async fn run(self, whole: Command) -> ExitCode {
        let outcome = match self.matches.subcommand() {
            Some((COMPLETIONS, matches)) => match Completions::from_arg_matches(matches) {
                Ok(completions) => completions.print(whole).map_err(Failure::from),
                Err(error) => Err(Failure::Usage(error.to_string())),
            },
            Some((name, matches)) => call::<C>(name, matches).await,
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
                .and_then(|(_, matches)| connection::default_url::<C>(matches));
            let tried = match tried.filter(|_| failure.is_unreached()) {
                Some(url) => format!("; no --base-url is given, so {url} was tried"),
                None => String::new(),
            };
            let _ = writeln!(io::stderr(), "{}: {}{tried}", C::NAME, failure.line());
        }
        code.into()
    }
}

impl<C: Commands> Args for Options<C> {
    fn augment_args(command: Command) -> Command {
        let command = connection::add::<C>(output::add(command))
            .subcommand_required(true)
            .arg_required_else_help(true)
            .subcommand_value_name("OPERATION")
            .subcommand_help_heading("Operations")
            .disable_help_subcommand(true)
            .after_help(EXIT_CODES)
            .subcommands(C::OPERATIONS.iter().map(|operation| subcommand(operation)));
        let completions = Completions::augment_args(Command::new(COMPLETIONS));
        command.subcommand(completions.about("Print a completion script for a shell"))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<C: Commands> FromArgMatches for Options<C> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self {
            matches: matches.clone(),
            of: PhantomData,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.matches = matches.clone();
        Ok(())
    }
}

fn subcommand<C: Commands>(operation: &'static Operation<C>) -> Command {
    let command = Command::new(operation.name)
        .about(operation.about)
        .long_about(operation.details)
        .args(
            operation
                .parameters
                .iter()
                .map(|parameter| option(parameter, operation.position)),
        )
        .args(operation.body.iter().flat_map(body::options));
    if operation.position.is_none() {
        return command;
    }
    let all = Arg::new(ALL)
        .long(ALL)
        .action(ArgAction::SetTrue)
        .help("Follow all pages; as JSON, prints one item per line");
    command.arg(all)
}

/// The option of a parameter. `position` is that of the position of a page.
fn option(parameter: &'static Parameter, position: Option<&str>) -> Arg {
    let mut words = vec![parameter.help];
    if position == Some(parameter.option) {
        words.push("With --all, the position of the first page.");
    }
    if parameter.list {
        words.push("May be repeated.");
    }
    words.retain(|text| !text.is_empty());
    Arg::new(parameter.option)
        .long(parameter.option)
        .value_name(parameter.shown)
        .help(words.join(" "))
        .required(parameter.required)
        .action(match parameter.list {
            true => ArgAction::Append,
            false => ArgAction::Set,
        })
        .allow_negative_numbers(true)
        .value_parser((parameter.parser)(parameter.values))
}

async fn call<C: Commands>(name: &str, matches: &ArgMatches) -> Outcome {
    let operation = C::OPERATIONS.iter().find(|operation| operation.name == name);
    let operation = operation.ok_or_else(|| Failure::Usage(format!("there is no operation {name}")))?;
    connection::check_credentials::<C>(operation, matches)?;
    let client = connection::client::<C>(matches)?;
    let mut output = Output::of(C::NAME, matches, operation.columns);
    let all = operation.position.is_some() && matches.get_flag(ALL);
    let headers: Vec<_> = connection::headers(matches).collect();
    let files = operation.body.as_ref().map_or(&[][..], |body| body.files);
    let arguments = Arguments::Options { matches, files };
    (operation.run)(Call::new(&client, arguments, Sink::Output(&mut output), &headers, all)).await
}
