//! Headers of responses as types.

use serde::de::DeserializeOwned;

/// The type of the headers that a response of the document declares.
pub trait Headers: DeserializeOwned {
    /// The names of the headers.
    const NAMES: &[&str];
}
