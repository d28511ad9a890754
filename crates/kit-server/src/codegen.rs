//! Imports of generated servers.

pub use std::collections::BTreeMap;
pub use std::net::{Ipv4Addr, Ipv6Addr};
pub use std::sync::Arc;

pub use axum::Router;
pub use axum::extract::{Request, State};
pub use axum::http::Method;
pub use axum::response::{IntoResponse, Response};
pub use axum::routing::{delete, get, head, options, patch, post, put};
pub use wearlab_kit_types::carrier::{Carrier, HasCarrier};
pub use wearlab_kit_types::multipart::Field;
pub use wearlab_kit_types::{DateTime, JsonObject, JsonValue, NaiveDate, Uuid};

pub use crate::credentials::Basic;
pub use crate::document::{Deprecation, Document, Operation, Routes};
pub use crate::error::ApiError;
pub use crate::event_stream::EventStream;
pub use crate::http::Reads;
pub use crate::input::Input;
pub use crate::reply::{self, ApiResult, Reply};
pub use crate::schema_rules::{self, Bounds, TextRule};
pub use crate::scope::{Owner, Scoped};
pub use crate::stream::{ByteStream, Lines};

/// Exports of the crate of a server, beside its operations.
pub mod exports {
    pub use crate::{
        ApiError, ApiResult, Basic, ByteStream, Deprecation, EventStream, HeaderPrefix, InvalidPrefix, Lines, MapError,
        Parts, Reply, RequestId, Scoped, ServerSentEvent, check_if_match, check_if_match_of_version, content,
    };
}
