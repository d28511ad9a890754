//! Mocks of the Wearlab interface, for tests of code that calls it.
//!
//! A function each operation begins a mock: say what a call must have, where that matters, and what it is answered with.
//! Names and types are those of the interface, so that a mock which no service could be does not compile. The server is built
//! on [`wiremock`], which this crate exports.
//!
//! ```
//! use wearlab_client::{Client, Error};
//! use wearlab_mock::models::{FallbackTimeZone, User, Uuid};
//! use wearlab_mock::{MockServer, get_user, search_diagnoses};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let server = MockServer::start().await;
//! let user_id = Uuid::from_u128(7);
//! let noon = "2026-01-02T12:00:00+01:00".parse::<wearlab_mock::models::DateTime>().expect("a time");
//! let zone = FallbackTimeZone::builder().id("Europe/Oslo").source_slug("manual").updated_at(noon).build();
//! let user = User::builder()
//!     .user_id(user_id)
//!     .team_id(Uuid::from_u128(1))
//!     .client_user_id("client-7")
//!     .created_on(noon)
//!     .connected_sources(Vec::new())
//!     .fallback_time_zone(zone)
//!     .build();
//!
//! // A user, for whoever has the key; and no other.
//! get_user().user_id(user_id).team_api_key("key").then_ok(&user).mount(&server).await;
//! get_user().then_problem(404, "There is no such user.").mount(&server).await;
//! // What is searched for is a parameter in the query.
//! search_diagnoses().diagnosis_query("gout").then_ok(&Vec::new()).mock().expect(1).mount(&server).await;
//!
//! let client = Client::builder().base_url(server.uri()).api_key("key").build().expect("a client");
//! let found = client.get_user(user_id).send().await.expect("a user");
//! assert_eq!(found.into_inner(), user);
//! let error = client.get_user(Uuid::nil()).send().await.expect_err("another user");
//! assert!(matches!(error, Error::NotFound(_)));
//! let hits = client.search_diagnoses("gout").send().await.expect("a response");
//! assert!(hits.is_empty());
//! # }
//! ```
//!
//! A parameter that a call leaves out has its default, where the document gives it one. Of two mocks that a call fits, the
//! one that was mounted first responds. A call that none matches gets a 404 whose problem document lists what is
//! mounted, and what the call lacks. Credentials are compared in the headers that the interface names, not under another prefix.

#[rustfmt::skip]
#[allow(deprecated, clippy::allow_attributes, reason = "what is deprecated can still be mocked")]
mod generated;

use generated::codegen;
pub use generated::*;
pub use wearlab_kit_mock::{Mock, MockServer, Operation, Then, wiremock};
pub use wearlab_models as models;

/// The snippet of the README runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
