//! The body of errors: problem details (RFC 9457), with violations and conflicts of the request.

use serde::{Deserialize, Deserializer, Serialize};

use crate::defaults::null_as;

/// The body of an error response, problem details by RFC 9457.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "builder", derive(bon::Builder), builder(on(String, into)))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Problem {
    /// A URI that names the kind of problem. It stays the same between releases.
    #[serde(
        rename = "type",
        default = "Problem::default_type",
        deserialize_with = "Problem::read_type"
    )]
    #[cfg_attr(feature = "builder", builder(default = Problem::default_type()))]
    pub type_: String,
    /// The kind of problem, in a few words. It is the same for every problem of the kind.
    pub title: String,
    /// The HTTP status code of the response.
    pub status: i32,
    /// A human-readable explanation of this problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The path of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance: Option<String>,
    /// The id of the request in the service's log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// Every violation of the request, when it was not valid.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "builder", builder(default))]
    pub errors: Vec<Violation>,
    /// Conflicting object, of a 409.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conflict: Option<ConflictingObject>,
}

impl Problem {
    fn default_type() -> String {
        "about:blank".to_owned()
    }

    fn read_type<'de, D: Deserializer<'de>>(reader: D) -> Result<String, D::Error> {
        null_as(reader, Self::default_type)
    }
}

/// A violation of a request, and its location.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "builder", derive(bon::Builder), builder(on(String, into)))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Violation {
    /// The location of the violation, similar to a JSON pointer, for example `/query/limit`.
    pub location: String,
    /// A short identifier of the violation, for programs.
    pub code: String,
    /// A human-readable explanation of the violation.
    pub message: String,
}

/// Object that conflicts with a write.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "builder", derive(bon::Builder), builder(on(String, into)))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ConflictingObject {
    /// The kind of the object, such as `user`.
    pub resource: String,
    /// The id of the object, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}
