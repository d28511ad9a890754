//! Imports of generated code.

#![allow(
    unused_imports,
    clippy::allow_attributes,
    reason = "the document decides what is needed"
)]

pub(crate) use std::collections::BTreeMap;
pub(crate) use std::net::{Ipv4Addr, Ipv6Addr};

pub(crate) use http::Method;
pub(crate) use wearlab_models as models;
pub(crate) use wearlab_models::carrier::Carrier;
pub(crate) use wearlab_models::multipart::Field;
pub(crate) use wearlab_models::{DateTime, JsonObject, JsonValue, NaiveDate, Uuid};

pub(crate) use wiremock::ResponseTemplate;

pub(crate) use crate::when;
