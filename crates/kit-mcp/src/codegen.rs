//! Imports of generated MCP servers.

pub use crate::tools::{Tool, Tools};
