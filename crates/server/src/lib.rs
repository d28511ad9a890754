//! The Wearlab interface as traits: implement [`Auth`] and the trait of each tag, such as [`UsersApi`], and [`router()`]
//! serves them.
//!
//! The crate does routing, credentials taken from their headers, parameters and bodies checked against the
//! document (every violation at once), [problem documents](ApiError) for every error, also for a panic, request ids,
//! entity tags with 304, and 406. What is left: who is calling ([`Auth`]), and the responses (the traits of the
//! tags, together [`Api`]). An operation that is missing does not compile.
//!
//! `examples/in_memory.rs` is a small back end that runs: `cargo run -p wearlab-server --example in_memory`.
//!
//! The router is a plain [`axum::Router`], so it takes tower layers. To put other routes beside the operations, merge
//! them with [`routes()`], and [`finish`] the whole. To put layers in between, such as one that compresses, stack
//! [`layers`] yourself, in the order of [`finish`].

mod body;
mod codegen;
mod credentials;
mod decode;
mod error;
mod field;
#[rustfmt::skip]
#[allow(deprecated, clippy::allow_attributes, reason = "what is deprecated is still served")]
mod generated;
mod http;
mod input;
mod list;
mod multipart;
mod operation;
mod parameter;
mod query;
mod reply;
mod schema_rules;
mod scope;
mod stream;
mod structured;

pub use credentials::Basic;
pub use error::ApiError;
pub use generated::*;
pub use http::{
    HeaderPrefix, InvalidPrefix, RequestId, check_if_match, check_if_match_of_version, content, finish, layers,
};
pub use operation::{Deprecation, Operation};
pub use reply::{ApiResult, Parts, Reply};
pub use scope::Scoped;
pub use stream::{ByteStream, Lines};
pub use wearlab_models as models;

/// The interface as an OpenAPI document for third-party tools, as JSON.
pub const OPENAPI_JSON: &str = include_str!("generated/openapi.json");

/// [`OPENAPI_JSON`] as YAML.
pub const OPENAPI_YAML: &str = include_str!("generated/openapi.yaml");
