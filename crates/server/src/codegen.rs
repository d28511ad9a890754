//! Imports of generated code.

#![allow(
    unused_imports,
    clippy::allow_attributes,
    reason = "the document decides what is needed"
)]

pub(crate) use std::collections::BTreeMap;
pub(crate) use std::net::{Ipv4Addr, Ipv6Addr};
pub(crate) use std::sync::Arc;

pub(crate) use axum::Router;
pub(crate) use axum::extract::State;
pub(crate) use axum::http::Method;
pub(crate) use axum::response::{IntoResponse, Response};
pub(crate) use axum::routing::{delete, get, patch, post, put};
pub(crate) use wearlab_models as models;
pub(crate) use wearlab_models::carrier::{Carrier, HasCarrier};
pub(crate) use wearlab_models::multipart::Field;
pub(crate) use wearlab_models::{DateTime, JsonObject, JsonValue, NaiveDate, Uuid};

pub(crate) use crate::credentials::Basic;
pub(crate) use crate::error::ApiError;
pub(crate) use crate::generated::operations::Credential;
pub(crate) use crate::http::finish;
pub(crate) use crate::input::Input;
pub(crate) use crate::operation::{Deprecation, Operation};
pub(crate) use crate::reply::{self, ApiResult, Reply};
pub(crate) use crate::schema_rules::{Bounds, TextRule};
pub(crate) use crate::scope::{Owner, Scoped};
pub(crate) use crate::stream::{ByteStream, Lines};
