//! Runtime of generated MCP servers: the operations of a document as tools.
//!
//! Generated code implements [`Tools`], with the JSON Schemas of arguments beside the table of the command line. `schema`
//! describes the arguments, `server` calls the client, `reply` bounds the results, `options` and `http` have the transports.

#[doc(hidden)]
pub mod codegen;
mod error;
mod http;
mod options;
mod reply;
mod schema;
mod selection;
mod server;
mod tools;

pub use options::Options;
pub use server::Server;
pub use tools::Tools;
