//! The generated client against the running service.

mod compatibility;
mod coverage;
mod credentials;
mod errors;
mod events;
mod http;
mod isolation;
mod model;
mod operations;
mod paging;
mod requests;
