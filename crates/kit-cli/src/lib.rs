//! Runtime of generated command lines: every operation of a document as a command.
//!
//! Generated code implements [`Commands`], with a table of operations. `command` builds the options of it, `connection` the
//! client; `output`, `text` and `table` write responses; `failure` has the exit codes.

#![warn(clippy::print_stderr)]

mod arguments;
mod body;
mod call;
#[doc(hidden)]
pub mod codegen;
mod command;
mod completions;
mod connection;
mod failure;
mod operation;
mod output;
mod parser;
mod service;
mod table;
mod text;

pub use arguments::BODY;
pub use command::Options;
pub use completions::Completions;
pub use connection::is_variable;
pub use failure::{Failure, USAGE};
pub use operation::{Commands, Operation, Parameter};
pub use service::{Connection, Service};
