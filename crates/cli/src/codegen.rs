//! Imports of generated code.

#![allow(
    unused_imports,
    clippy::allow_attributes,
    reason = "the document decides what is needed"
)]

pub(crate) use wearlab_client::operations::{self, Credential, Server};
pub(crate) use wearlab_client::{self as client, models};
pub(crate) use wearlab_kit_cli as kit;
pub(crate) use wearlab_kit_cli::codegen::*;

pub(crate) use crate::generated::{Call, Operation};
