//! Imports of generated code.

#![allow(
    unused_imports,
    clippy::allow_attributes,
    reason = "the document decides what is needed"
)]

pub(crate) use wearlab_kit_mock as kit;
pub(crate) use wearlab_kit_mock::codegen::*;
pub(crate) use wearlab_models as models;

pub(crate) use crate::generated::document::when;
