//! The types of the generated tables: operations, parameters, base URLs and credentials.

use std::pin::Pin;

use clap::builder::ValueParser;
use wearlab_client::operations::{Credential, Server};

use crate::body::Body;
use crate::call::Call;
use crate::failure::Outcome;

/// The description of an operation.
pub(crate) struct Operation {
    pub(crate) name: &'static str,
    /// One line.
    pub(crate) about: &'static str,
    pub(crate) details: &'static str,
    pub(crate) parameters: &'static [Parameter],
    pub(crate) body: Option<Body>,
    pub(crate) paged: bool,
    /// The default columns of a table; if empty, all that have values.
    pub(crate) columns: &'static [&'static str],
    /// The alternatives of credentials that it accepts.
    pub(crate) security: &'static [&'static [Credential]],
    pub(crate) run: for<'c> fn(Call<'c>) -> Pin<Box<dyn Future<Output = Outcome> + 'c>>,
}

/// A parameter of an operation.
pub(crate) struct Parameter {
    pub(crate) option: &'static str,
    pub(crate) help: &'static str,
    pub(crate) required: bool,
    /// True if it may be given several times: a list.
    pub(crate) list: bool,
    /// The placeholder of its value in help.
    pub(crate) shown: &'static str,
    /// The documented values.
    pub(crate) values: &'static [&'static str],
    pub(crate) parser: fn(&'static [&'static str]) -> ValueParser,
}

/// A base URL of operations.
pub(crate) struct Address {
    pub(crate) option: &'static str,
    /// Variable of the environment.
    pub(crate) variable: &'static str,
    pub(crate) help: &'static str,
    pub(crate) default: Option<&'static str>,
    pub(crate) server: Server,
}

/// A credential of operations.
pub(crate) struct Key {
    pub(crate) option: &'static str,
    /// Variable of the environment.
    pub(crate) variable: &'static str,
    pub(crate) help: &'static str,
    /// The placeholder of its value in help.
    pub(crate) shown: &'static str,
    pub(crate) credential: Credential,
}
