//! A client of the Wearlab interface.
//!
//! ```no_run
//! use futures_util::TryStreamExt;
//! use wearlab_client::Client;
//!
//! # async fn run() -> Result<(), wearlab_client::Error> {
//! let client = Client::builder().base_url("http://127.0.0.1:8080").api_key("wl_team_...").build()?;
//!
//! let page = client.list_users().limit(100).send().await?;
//! println!("{} users in all", page.total);
//!
//! let mut users = std::pin::pin!(client.list_users().stream());
//! while let Some(user) = users.try_next().await? {
//!     println!("{} has {} sources", user.user_id, user.connected_sources.len());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Each operation is a method of [`Client`] that begins a call; parameters are set by name; `send` gives a
//! [`Response`] or an [`Error`]. Lists that are paged also have `stream` (item by item) and `pages`.

mod addresses;
mod builder;
mod codegen;
mod credentials;
mod error;
#[rustfmt::skip]
#[allow(deprecated, clippy::allow_attributes, reason = "what is deprecated can still be called")]
mod generated;
mod paging;
mod path;
mod response;
mod transport;

pub use builder::ClientBuilder;
pub use error::{Error, Failure};
pub use generated::*;
pub use response::Response;
pub use transport::{Client, Operation};
pub use wearlab_models as models;
