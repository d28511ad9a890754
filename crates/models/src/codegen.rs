//! Imports of generated code.

#![allow(
    unused_imports,
    clippy::allow_attributes,
    reason = "the document decides what is needed"
)]

pub(crate) use std::collections::BTreeMap;
pub(crate) use std::net::{Ipv4Addr, Ipv6Addr};

pub(crate) use serde::{Deserialize, Deserializer, Serialize};
pub(crate) use serde_json::value::RawValue;

pub(crate) use crate::defaults::{null_as, object_of, present};
pub(crate) use crate::enums::{closed_enum, open_enum};
pub(crate) use crate::event::{Decode, family_of, from_json};
pub(crate) use crate::file_part::FilePart;
pub(crate) use crate::integer_enums::integer_enum;
pub(crate) use crate::masked::{SecretPath, Secrets, VisitSecret};
pub(crate) use crate::one_of::union;
pub(crate) use crate::page::{Page, next_cursor, next_offset, next_page};
pub(crate) use crate::rounded::rounded;
pub(crate) use crate::secret::{Redacted, Secret};
pub(crate) use crate::unknown_event::UnknownEvent;
pub(crate) use crate::{DateTime, JsonObject, JsonValue, NaiveDate, Uuid};
