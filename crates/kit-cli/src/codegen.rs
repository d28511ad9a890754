//! Imports of generated command lines.

pub use std::collections::BTreeMap;
pub use std::net::{Ipv4Addr, Ipv6Addr};

pub use wearlab_kit_types::{DateTime, JsonObject, JsonValue, NaiveDate, Uuid};

pub use crate::body::{Body, FileOption};
pub use crate::call::Call;
pub use crate::commands::Commands;
pub use crate::failure::Outcome;
pub use crate::operation::{Address, Key, Operation, Parameter, Run};
pub use crate::parser::{json, matching, typed};
