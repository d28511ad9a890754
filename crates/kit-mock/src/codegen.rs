//! Imports of generated mocks.

pub use std::collections::BTreeMap;
pub use std::net::{Ipv4Addr, Ipv6Addr};

pub use http::Method;
pub use wearlab_kit_types::carrier::Carrier;
pub use wearlab_kit_types::multipart::Field;
pub use wearlab_kit_types::{DateTime, JsonObject, JsonValue, NaiveDate, ServerSentEvent, Uuid};
pub use wiremock::ResponseTemplate;

pub use crate::mocks;
pub use crate::then::problem;

/// Conditions of calls, and their responses.
pub mod when {
    pub use crate::answer::{bytes, empty, events, json, lines, sequence, text_events};
    pub use crate::when::{
        Conditional, Conditions, Operation, credential, in_body, in_cookie, in_form, in_header, in_json, in_members,
        in_object, in_parts, in_path, in_query, in_text, list,
    };
}
