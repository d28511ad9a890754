//! What generated code imports.

#![allow(
    unused_imports,
    clippy::allow_attributes,
    reason = "the document decides what is needed"
)]

pub(crate) use futures_util::Stream;
pub(crate) use progenitor_client::QueryParam;
pub(crate) use reqwest::header::{ACCEPT, HeaderValue};
pub(crate) use wearlab_models as models;
pub(crate) use wearlab_models::{DateTime, JsonObject, NaiveDate, Uuid};

pub(crate) use crate::error::Error;
pub(crate) use crate::paging;
pub(crate) use crate::path::{argument, missing};
pub(crate) use crate::response::Response;
pub(crate) use crate::transport::{Client, Operation};
