//! Progress of an upload.

use std::sync::Arc;

/// The bytes of a body that were passed to the connection. A further attempt begins at 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UploadProgress {
    /// Number of bytes sent.
    pub sent: u64,
    /// The length of the body in bytes; unknown for a stream.
    pub total: Option<u64>,
}

/// Callback for the progress.
#[derive(Clone)]
#[cfg_attr(target_family = "wasm", allow(dead_code, reason = "a browser tells nothing"))]
pub(crate) struct Watcher(Arc<dyn Fn(UploadProgress) + Send + Sync>);

impl Watcher {
    pub(crate) fn new(watch: impl Fn(UploadProgress) + Send + Sync + 'static) -> Self {
        Self(Arc::new(watch))
    }
}

#[cfg(not(target_family = "wasm"))]
mod body {
    use std::pin::Pin;
    use std::task::{Context, Poll, ready};

    use bytes::Bytes;
    use http_body::{Body, Frame, SizeHint};

    use super::{UploadProgress, Watcher};

    impl Watcher {
        /// Wraps the body to report its progress.
        pub(crate) fn watch(&self, body: reqwest::Body) -> reqwest::Body {
            let total = body.size_hint().exact();
            reqwest::Body::wrap(Watched {
                body,
                watcher: self.clone(),
                progress: UploadProgress { sent: 0, total },
            })
        }
    }

    struct Watched {
        body: reqwest::Body,
        watcher: Watcher,
        progress: UploadProgress,
    }

    impl Body for Watched {
        type Data = Bytes;
        type Error = reqwest::Error;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            context: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, reqwest::Error>>> {
            let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
            if let Some(Ok(frame)) = &frame
                && let Some(part) = frame.data_ref()
            {
                self.progress.sent += part.len() as u64;
                (self.watcher.0)(self.progress);
            }
            Poll::Ready(frame)
        }

        fn is_end_stream(&self) -> bool {
            self.body.is_end_stream()
        }

        fn size_hint(&self) -> SizeHint {
            self.body.size_hint()
        }
    }
}
