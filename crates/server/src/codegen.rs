//! Imports of generated code.

#![allow(
    unused_imports,
    clippy::allow_attributes,
    reason = "the document decides what is needed"
)]

pub(crate) use wearlab_kit_server as kit;
pub(crate) use wearlab_kit_server::codegen::*;
pub(crate) use wearlab_models as models;

pub(crate) use crate::generated::document::{Operation, ThisDocument, finish};
pub(crate) use crate::generated::operations::Credential;
