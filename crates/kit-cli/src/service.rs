//! Calls with arguments as JSON, for other consumers of the table of operations.

use std::marker::PhantomData;

use clap::{ArgMatches, Args, Command, FromArgMatches};
use wearlab_kit_types::JsonObject;

use crate::arguments::{self, Arguments, BODY};
use crate::call::{Call, Sink};
use crate::connection;
use crate::failure::Failure;
use crate::operation::{Commands, Operation, Parameter};

/// The options of a connection: base URLs, credentials, timeouts.
#[derive(Clone, Debug)]
pub struct Connection<C> {
    matches: ArgMatches,
    of: PhantomData<fn() -> C>,
}

impl<C: Commands> Connection<C> {
    /// Creates the client.
    ///
    /// # Errors
    ///
    /// An invalid option. The message does not repeat its value.
    pub fn service(self) -> Result<Service<C>, Failure> {
        let client = connection::client::<C>(&self.matches)?;
        Ok(Service {
            client,
            connection: self,
        })
    }
}

impl<C: Commands> Args for Connection<C> {
    fn augment_args(command: Command) -> Command {
        connection::add::<C>(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<C: Commands> FromArgMatches for Connection<C> {
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

/// A service that is called with arguments as JSON.
pub struct Service<C: Commands> {
    client: C::Client,
    connection: Connection<C>,
}

impl<C: Commands> Service<C> {
    /// Checks that the credentials of one of the operation's alternatives are given.
    ///
    /// # Errors
    ///
    /// The missing options.
    pub fn check_credentials(&self, operation: &Operation<C>) -> Result<(), Failure> {
        connection::check_credentials(operation, &self.connection.matches)
    }

    /// Calls an operation, and returns the body of the response as it was received. `arguments` has a member for each
    /// parameter, [`Parameter::name`], and one for the body, [`BODY`]. No argument is a credential or the name of a file.
    ///
    /// # Errors
    ///
    /// Arguments that do not fit, missing credentials, and a failed call.
    pub async fn call(&self, operation: &Operation<C>, arguments: &JsonObject) -> Result<Vec<u8>, Failure> {
        let has = |name: &String| {
            operation.parameters.iter().any(|parameter| parameter.name() == *name)
                || (name == BODY && operation.body.is_some())
        };
        if let Some(unknown) = arguments.keys().find(|name| !has(name)) {
            return Err(Failure::Usage(format!("{unknown}: there is no such argument")));
        }
        self.check_credentials(operation)?;
        let headers: Vec<_> = connection::headers(&self.connection.matches).collect();
        let mut body = Vec::new();
        let sink = Sink::Memory(&mut body);
        let arguments = Arguments::Object(arguments);
        (operation.run)(Call::new(&self.client, arguments, sink, &headers, false)).await?;
        Ok(body)
    }
}

impl Parameter {
    /// The name of its argument.
    pub fn name(&self) -> String {
        arguments::name(self.option)
    }
}
