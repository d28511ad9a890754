//! Properties that hold for any input. Each function builds an input from bytes, and panics if a property does not
//! hold.
//!
//! The fuzzer in `tests/fuzz` chooses the bytes, and `tests/fuzzed.rs` runs some with every `cargo test`.

mod bytes;
mod chunks;
mod cursors;
mod events;
mod intake;
mod json;
mod models;
mod paths;
mod signatures;

pub use bytes::random;
pub use chunks::chunks;
pub use cursors::cursors;
pub use events::events;
pub use intake::intake;
pub use models::{models, names};
pub use paths::paths;
pub use signatures::signatures;
