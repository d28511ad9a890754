//! The body of a request, as often as it is sent.

use std::sync::{Mutex, PoisonError};

use bytes::Bytes;

/// The body of a request.
#[derive(Default)]
pub(crate) enum Payload {
    #[default]
    None,
    Whole(Bytes),
    /// A stream, which is gone once it was sent.
    Once(Mutex<Option<reqwest::Body>>),
}

impl Payload {
    pub(crate) fn stream(body: reqwest::Body) -> Self {
        Self::Once(Mutex::new(Some(body)))
    }

    /// Whether it can be sent again.
    pub(crate) fn is_repeatable(&self) -> bool {
        !matches!(self, Self::Once(_))
    }

    /// The body of the next request.
    pub(crate) fn take(&self) -> Option<reqwest::Body> {
        match self {
            Self::None => None,
            Self::Whole(bytes) => Some(bytes.clone().into()),
            Self::Once(stream) => stream.lock().unwrap_or_else(PoisonError::into_inner).take(),
        }
    }
}
