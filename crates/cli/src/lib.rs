//! `wearlab api`: every operation of the API as a command, for any base URL.
//!
//! The table of operations is generated. `command` builds the options of it, `connection` the client; `output`, `text` and
//! `table` write responses; `failure` has the exit codes.

#![warn(clippy::print_stderr)]

mod body;
mod call;
mod codegen;
mod command;
mod completions;
mod connection;
mod failure;
#[rustfmt::skip]
#[allow(deprecated, clippy::allow_attributes, reason = "deprecated operations can still be called")]
mod generated;
mod operation;
mod output;
mod parser;
mod table;
mod text;

pub use command::Options;
pub use completions::Completions;
pub use connection::is_variable;
pub use failure::USAGE;
