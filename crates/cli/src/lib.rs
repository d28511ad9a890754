//! `wearlab api`: every operation of the interface as a command, over any base address.
//!
//! What there is to call is generated ([`Options`] is the whole of it); the rest is by hand: `command` makes options of
//! it, `connection` a client, `output`, `text` and `table` write what is answered, `failure` says how a call ended.

#![warn(clippy::print_stderr)]

mod call;
mod codegen;
mod command;
mod completions;
mod connection;
mod failure;
#[rustfmt::skip]
#[allow(deprecated, clippy::allow_attributes, reason = "what is deprecated can still be called")]
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
