//! Providers that return more than anybody can read.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::header::CONTENT_TYPE;
use futures_util::stream;
use wearlab_connect::Refusal;

use super::ConnectorsSettings;
use crate::testing::{last_days, serve, session};

/// Size of a part of the response: 1 MiB.
const PART: usize = 1 << 20;
/// Maximum of what is sent, in parts: 10 GiB.
const PARTS: usize = 10 << 10;
/// Maximum of what is read, in parts, and of what is in flight.
const READ: usize = 64 + 16;

#[tokio::test]
async fn a_response_without_end_is_refused() {
    let sent = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&sent);
    let respond = move || {
        let counted = Arc::clone(&counted);
        let parts = (0..PARTS).map(move |_| {
            counted.fetch_add(1, Ordering::Relaxed);
            Ok::<_, Infallible>(Bytes::from_static(&[b' '; PART]))
        });
        async {
            (
                [(CONTENT_TYPE, "application/json")],
                Body::from_stream(stream::iter(parts)),
            )
        }
    };
    let url = serve(Router::new().fallback(respond)).await;
    for (provider, _) in ConnectorsSettings::default().all() {
        let profile = provider.profile();
        let span = last_days("2026-05-31".parse().expect("a day"), 1);
        sent.store(0, Ordering::Relaxed);
        let pulled = provider
            .pull(&session(&url, "token"), &profile.collections[0], span)
            .await;
        let Err(Refusal::Failed(reason)) = pulled else {
            panic!("{}: {pulled:?}", profile.name);
        };
        assert!(reason.contains("bytes"), "{}: {reason}", profile.name);
        let sent = sent.load(Ordering::Relaxed);
        assert!(sent <= READ, "{}: {sent} MiB", profile.name);
    }
}
