//! Imports of generated code.

#![allow(
    unused_imports,
    clippy::allow_attributes,
    reason = "the document decides what is needed"
)]

pub(crate) use wearlab_kit_types::codegen::*;

pub(crate) use crate::event::{Decode, family_of, from_json};
pub(crate) use crate::unknown_event::UnknownEvent;
