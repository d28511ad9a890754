//! The Wearlab interface as traits: implement [`Auth`] and the trait of each tag, such as [`UsersApi`], and [`router()`]
//! serves them.
//!
//! The crate does routing, credentials taken from their headers, parameters and bodies checked against the
//! document (all violations together), [problem documents](ApiError) for every error, also for a panic, request ids,
//! entity tags with 304, and 406. Implementers provide the authentication of callers ([`Auth`]), and the responses (the
//! traits of the tags, together [`Api`]). A missing operation does not compile.
//!
//! `examples/in_memory.rs` is a small back end that runs: `cargo run -p wearlab-server --example in_memory`.
//!
//! The router is a plain [`axum::Router`](https://docs.rs/axum/latest/axum/struct.Router.html), so it takes tower layers. To put other routes beside the operations, merge
//! them with [`routes()`], and [`finish`] the whole. To put layers in between, such as one that compresses, stack
//! [`layers`] yourself, in the order of [`finish`].

#[rustfmt::skip]
#[allow(deprecated, clippy::allow_attributes, reason = "what is deprecated is still served")]
mod generated;

use generated::codegen;
pub use generated::*;
pub use wearlab_kit_server::codegen::exports::*;
pub use wearlab_models as models;
