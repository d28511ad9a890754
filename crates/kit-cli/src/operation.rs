//! The types of the generated tables: operations, parameters, base URLs and credentials.

use std::fmt::Debug;
use std::pin::Pin;

use clap::builder::ValueParser;
use wearlab_kit_client::{Document, Operation as Endpoint, Transport};

use crate::body::Body;
use crate::call::Call;
use crate::failure::Outcome;

/// A document: its operations as commands, and the options of its servers and credentials. Implemented by generated code.
pub trait Commands: Clone + Copy + Debug + Send + Sync + 'static {
    /// The document as the client has it.
    type Document: Document;
    /// The client, which has a method for each operation.
    type Client: From<Transport<Self::Document>> + Send + Sync + 'static;
    /// The name of the service, before messages.
    const NAME: &'static str;
    /// All operations, in the document's order.
    const OPERATIONS: &'static [&'static Operation<Self>];
    /// The servers of the operations.
    const ADDRESSES: &'static [Address<Self::Document>];
    /// The credentials that operations accept.
    const KEYS: &'static [Key<Self::Document>];
}

/// Calls an operation.
pub type Run<C> = for<'c> fn(Call<'c, <C as Commands>::Client>) -> Pin<Box<dyn Future<Output = Outcome> + Send + 'c>>;

/// The description of an operation.
pub struct Operation<C: Commands> {
    /// The name of the command.
    pub name: &'static str,
    /// One line.
    pub about: &'static str,
    /// The text of `--help`.
    pub details: &'static str,
    /// Parameters of the operation.
    pub parameters: &'static [Parameter],
    /// The body of its request, if it has one.
    pub body: Option<Body>,
    /// The option of the position of a page, if it returns a list a page at a time.
    pub position: Option<&'static str>,
    /// The default columns of a table; if empty, all that have values.
    pub columns: &'static [&'static str],
    /// Method, path and accepted credentials, as the client has them.
    pub endpoint: &'static Endpoint<C::Document>,
    /// Function that calls it.
    pub run: Run<C>,
}

/// A parameter of an operation.
pub struct Parameter {
    /// The name of the option.
    pub option: &'static str,
    /// Description in help.
    pub help: &'static str,
    /// True if it must be given.
    pub required: bool,
    /// True if it may be given several times: a list.
    pub list: bool,
    /// The placeholder of its value in help.
    pub shown: &'static str,
    /// The documented values.
    pub values: &'static [&'static str],
    /// Parses a value.
    pub parser: fn(&'static [&'static str]) -> ValueParser,
}

/// A base URL of operations.
pub struct Address<D: Document> {
    /// The name of the option.
    pub option: &'static str,
    /// Variable of the environment.
    pub variable: &'static str,
    /// Description in help.
    pub help: &'static str,
    /// Default URL.
    pub default: Option<&'static str>,
    /// The server.
    pub server: D::Server,
}

/// A credential of operations.
pub struct Key<D: Document> {
    /// The name of the option.
    pub option: &'static str,
    /// Variable of the environment.
    pub variable: &'static str,
    /// Description in help.
    pub help: &'static str,
    /// The placeholder of its value in help.
    pub shown: &'static str,
    /// The credential.
    pub credential: D::Credential,
}
