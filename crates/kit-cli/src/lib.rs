//! Runtime of generated command lines: every operation of a document as a command.
//!
//! Generated code implements [`Commands`], with a table of operations. `command` builds the options of it, `connection` the
//! client; `output`, `text` and `table` write responses; `failure` has the exit codes.

#![warn(clippy::print_stderr)]

mod body;
mod call;
#[doc(hidden)]
pub mod codegen;
mod command;
mod commands;
mod completions;
mod connection;
mod failure;
mod operation;
mod output;
mod parser;
mod table;
mod text;

pub use command::Options;
pub use commands::Commands;
pub use completions::Completions;
pub use connection::is_variable;
pub use failure::USAGE;
