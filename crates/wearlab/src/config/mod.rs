//! What an operator decides: plain data, with a default for everything.

pub mod http;
pub mod log;
mod span;
