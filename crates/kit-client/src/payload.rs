//! The body of a request, for each attempt.

use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use wearlab_kit_types::FileContent;

use crate::progress::Watcher;
use crate::segments;

/// The body of a request.
#[derive(Default)]
pub(crate) enum Payload {
    #[default]
    None,
    Whole(Bytes),
    /// Bytes in memory, and files that are read each time.
    Segments(Vec<FileContent>),
    /// A stream, which can be sent once.
    Once(Mutex<Option<reqwest::Body>>),
}

impl Payload {
    pub(crate) fn stream(body: reqwest::Body) -> Self {
        Self::Once(Mutex::new(Some(body)))
    }

    /// Returns whether it can be sent again.
    pub(crate) fn is_repeatable(&self) -> bool {
        !matches!(self, Self::Once(_))
    }

    /// The body of the next request.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn take(&self, watcher: Option<&Watcher>) -> Option<reqwest::Body> {
        let body = match self {
            Self::None => return None,
            // In parts, with a report of the progress between them.
            Self::Whole(bytes) if watcher.is_some() => segments::body(vec![FileContent::Bytes(bytes.clone())]),
            Self::Whole(bytes) => bytes.clone().into(),
            Self::Segments(all) => segments::body(all.clone()),
            Self::Once(stream) => stream.lock().unwrap_or_else(PoisonError::into_inner).take()?,
        };
        Some(match watcher {
            Some(watcher) => watcher.watch(body),
            None => body,
        })
    }

    /// The body of the next request, which a browser sends whole.
    #[cfg(target_family = "wasm")]
    pub(crate) fn take(&self, _: Option<&Watcher>) -> Option<reqwest::Body> {
        match self {
            Self::None => None,
            Self::Whole(bytes) => Some(bytes.clone().into()),
            Self::Segments(all) => segments::in_memory(all).map(Into::into),
            Self::Once(stream) => stream.lock().unwrap_or_else(PoisonError::into_inner).take(),
        }
    }
}
