//! Imports of generated clients.

pub use std::collections::BTreeMap;
pub use std::net::{Ipv4Addr, Ipv6Addr};

pub use reqwest;
pub use reqwest::Method;
pub use tracing;
pub use wearlab_kit_types::carrier::{Carrier, HasCarrier};
pub use wearlab_kit_types::multipart::Field;
pub use wearlab_kit_types::{DateTime, JsonObject, JsonValue, NaiveDate, Secret, Uuid};

pub use crate::body::Body;
pub use crate::builder::Builder;
pub use crate::call::Call;
pub use crate::document::Document;
pub use crate::error::Error;
pub use crate::event_stream::EventStream;
pub use crate::operation::{Operation, TARGET};
pub use crate::paging::{Fetch, Items, Paged, Pages};
pub use crate::path::texts;
pub use crate::request::{Request, changed};
pub use crate::response::Response;
pub use crate::retry::RetryPolicy;
pub use crate::stream::{ByteStream, Lines};
pub use crate::transport::Transport;
pub use crate::upload::{LinesUpload, Upload};
pub use crate::{call_settings, client, span, upload_settings};

/// Exports of the crate of a client, beside its operations.
pub mod exports {
    pub use crate::{
        Body, ByteStream, Error, EventStream, Failure, Fetch, Headers, Items, Lines, LinesUpload, Paged, Pages,
        Position, Response, RetryPolicy, ServerSentEvent, TransportError, Upload, UploadProgress,
    };
}
