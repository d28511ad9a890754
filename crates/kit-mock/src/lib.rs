//! Runtime of generated mocks, on [`wiremock`].
//!
//! Generated code has a function for each operation, which begins a mock, and `mocks!` makes the type of its calls. Tests
//! use the crate of the mocks, which exports the types here.

mod answer;
#[doc(hidden)]
pub mod codegen;
mod mocks;
mod server;
mod then;
mod when;

pub use server::MockServer;
pub use then::{Mock, Then};
pub use when::Operation;
pub use wiremock;
