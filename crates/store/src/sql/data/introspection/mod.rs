//! Sync status of the resources and the historical pulls of users.

mod page;
mod pull;
mod pulls;
mod resources;
