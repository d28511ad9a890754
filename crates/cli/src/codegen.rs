//! Imports of generated code.

#![allow(
    unused_imports,
    clippy::allow_attributes,
    reason = "the document decides what is needed"
)]

pub(crate) use std::collections::BTreeMap;
pub(crate) use std::net::{Ipv4Addr, Ipv6Addr};

pub(crate) use wearlab_client::models::{self, DateTime, JsonObject, JsonValue, NaiveDate, Uuid};
pub(crate) use wearlab_client::operations::{self, Credential, Server};

pub(crate) use crate::body::{Body, FileOption};
pub(crate) use crate::call::Call;
pub(crate) use crate::failure::Outcome;
pub(crate) use crate::operation::{Address, Key, Operation, Parameter};
pub(crate) use crate::parser::{json, matching, typed};
