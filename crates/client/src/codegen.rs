//! Imports of generated code.

#![allow(
    unused_imports,
    clippy::allow_attributes,
    reason = "the document decides what is needed"
)]

pub(crate) use std::collections::BTreeMap;
pub(crate) use std::net::{Ipv4Addr, Ipv6Addr};

pub(crate) use reqwest::Method;
pub(crate) use wearlab_models as models;
pub(crate) use wearlab_models::carrier::Carrier;
pub(crate) use wearlab_models::multipart::Field;
pub(crate) use wearlab_models::{DateTime, JsonObject, JsonValue, NaiveDate, Uuid};

pub(crate) use crate::body::Body;
pub(crate) use crate::builder::ClientBuilder;
pub(crate) use crate::call::{Call, call_settings, upload_settings};
pub(crate) use crate::error::Error;
pub(crate) use crate::operation::{Operation, span};
pub(crate) use crate::paging::{Fetch, Items, Paged, Pages};
pub(crate) use crate::path::texts;
pub(crate) use crate::request;
pub(crate) use crate::response::{Headers, Response};
pub(crate) use crate::stream::{ByteStream, Lines};
pub(crate) use crate::transport::Client;
pub(crate) use crate::upload::{LinesUpload, Upload};
