//! The tables that are generated: operations, their parameters, addresses and credentials.

use std::pin::Pin;

use clap::builder::ValueParser;
use wearlab_client::operations::{Credential, Server};

use crate::call::Call;
use crate::failure::Outcome;

/// What is known of an operation before it is called.
pub(crate) struct Operation {
    pub(crate) name: &'static str,
    /// One line.
    pub(crate) about: &'static str,
    pub(crate) details: &'static str,
    pub(crate) parameters: &'static [Parameter],
    pub(crate) paged: bool,
    /// What a table shows, unless columns are asked for; all that have values, where there are none.
    pub(crate) columns: &'static [&'static str],
    /// Any one of these is needed.
    pub(crate) credentials: &'static [Credential],
    pub(crate) run: for<'c> fn(Call<'c>) -> Pin<Box<dyn Future<Output = Outcome> + 'c>>,
}

/// A parameter of an operation.
pub(crate) struct Parameter {
    pub(crate) option: &'static str,
    pub(crate) help: &'static str,
    pub(crate) required: bool,
    /// What stands for its value in help.
    pub(crate) shown: &'static str,
    /// The values that the document names.
    pub(crate) values: &'static [&'static str],
    pub(crate) parser: fn(&'static [&'static str]) -> ValueParser,
}

/// An address that operations are answered at.
pub(crate) struct Address {
    pub(crate) option: &'static str,
    /// Of the environment.
    pub(crate) variable: &'static str,
    pub(crate) help: &'static str,
    pub(crate) default: Option<&'static str>,
    pub(crate) server: Server,
}

/// A credential that operations take.
pub(crate) struct Key {
    pub(crate) option: &'static str,
    /// Of the environment.
    pub(crate) variable: &'static str,
    pub(crate) help: &'static str,
    pub(crate) credential: Credential,
}
