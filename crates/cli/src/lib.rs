//! `wearlab api`: every operation of the API as a command, for any base URL.
//!
//! The table of operations is generated; what reads it is in `wearlab-kit-cli`.

#[rustfmt::skip]
#[allow(deprecated, clippy::allow_attributes, reason = "deprecated operations can still be called")]
mod generated;

use generated::codegen;
pub use generated::{Options, ThisDocument, is_variable, operations};
use wearlab_client as client;
pub use wearlab_kit_cli::{Completions, USAGE};
