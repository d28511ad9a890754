//! `wearlab mcp`: every operation of the API as a tool of the Model Context Protocol, for any base URL.
//!
//! The table of tools is generated; what reads it is in `wearlab-kit-mcp`.

#[rustfmt::skip]
mod generated;

use generated::codegen;
pub use generated::{Options, Server, ThisDocument};
use wearlab_cli as cli;
