//! A client of the Wearlab interface.
//!
//! ```
//! use wearlab_client::{Client, Error};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Error> {
//! # let address = service();
//! # let address = address.as_str();
//! // `Client::from_env()` takes address and key from the environment.
//! let client = Client::builder().base_url(address).api_key("wl_team_...").build()?;
//!
//! let page = client.list_users().limit(100).send().await?;
//! println!("{} users in all", page.total);
//!
//! let mut users = client.list_users().stream();
//! while let Some(user) = users.try_next().await? {
//!     println!("{} has {} sources", user.user_id, user.connected_sources.len());
//! }
//! # Ok(())
//! # }
//! #
//! # /// Answers everything with the same page.
//! # fn service() -> String {
//! #     use std::io::{Read, Write};
//! #     let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
//! #     let address = format!("http://{}", listener.local_addr().unwrap());
//! #     let user = r#"{"user_id": "5b0e7c1a-6f5d-4c0e-9a57-2f6f3f1f0a11", "client_user_id": "one",
//! #         "team_id": "6f1d2c3b-4a5e-4f60-8b7a-9c8d7e6f5a4b", "created_on": "2024-08-19T09:30:00+00:00",
//! #         "connected_sources": [], "fallback_time_zone":
//! #             {"id": "Europe/Berlin", "source_slug": "manual", "updated_at": "2024-08-19T09:30:00+00:00"}}"#;
//! #     let body = format!(r#"{{"users": [{user}], "total": 1, "offset": 0, "limit": 100}}"#);
//! #     std::thread::spawn(move || {
//! #         for stream in listener.incoming() {
//! #             let mut stream = stream.unwrap();
//! #             let _ = stream.read(&mut [0; 4096]);
//! #             let head = format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
//! #             stream.write_all((head + &body).as_bytes()).unwrap();
//! #         }
//! #     });
//! #     address
//! # }
//! ```
//!
//! # Calls
//!
//! Each operation is a method of [`Client`] that begins a call. Required values are its arguments, in the order of the
//! interface, a body last; optional values are set by name. Arguments of text and of types that the interface names
//! take convertible values (`&str`, `String`, a variant); all others take their type: [`Uuid`](models::Uuid), `i64`, a
//! body. `send` returns a [`Response`] or an [`Error`]. A response has a value, status, headers and request id;
//! `send_raw` returns the body as received. A call without a required value does not compile:
//!
//! ```compile_fail,E0061
//! # fn call(client: wearlab_client::Client) {
//! client.get_user().send();
//! # }
//! ```
//!
//! ```
//! # fn call(client: wearlab_client::Client) {
//! client.get_user(wearlab_client::models::Uuid::nil()).send();
//! # }
//! ```
//!
//! Each call takes a `timeout`, a `deadline`, a `retry` policy and `header`s of its own.
//!
//! The operations of a tag of the document are in one module.
//!
//! # Lists
//!
//! Lists that are paged also have `stream` (item by item, [`Items`]) and `pages` ([`Pages`]). Both are a
//! `futures_core::Stream` too, hold one page at most, and can be resumed elsewhere.
//!
//! # Errors and logs
//!
//! [`Error`] has a variant for each class of error. Calls that are likely to succeed later are retried, within bounds:
//! [`RetryPolicy`].
//!
//! Calls are logged through `tracing`, under the target `wearlab_kit_client`: a span for each call, at the level `INFO`
//! and named after the operation, with the number of attempts, the status and the request id; within it each attempt
//! (`DEBUG`) and each pause (`INFO`). Keys, URLs and values of parameters are not logged.
//!
//! # Features
//!
//! TLS is a feature: `rustls`, by default, or `native-tls`. With neither, a client for an `https` address cannot be built,
//! unless it is given an `http_client`. In WebAssembly the host connects: there is neither of them, no
//! retries, and no time-out for connecting.

#[rustfmt::skip]
#[allow(
    deprecated,
    clippy::allow_attributes,
    clippy::too_many_arguments,
    reason = "what is deprecated can still be called, and the document decides how much is required"
)]
mod generated;

use generated::codegen;
pub use generated::*;
pub use wearlab_kit_client::codegen::exports::*;
pub use wearlab_models as models;

/// The snippets of the README compile.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
