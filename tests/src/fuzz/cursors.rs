//! Cursors of pipelines: those of a listing continue it, any other is refused.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use chrono::Utc;
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt;
use wearlab_models::{Environment, Region};
use wearlab_service::{Service, Settings};
use wearlab_store::Store;

use super::bytes::Choices;
use crate::pipelines::{KEY, ORGANISATION, team_id, teams};

const LISTING: &str = "production/eu";

/// Service with a cursor of [`LISTING`].
struct World {
    runtime: Runtime,
    routes: Router,
    cursor: String,
    _directory: tempfile::TempDir,
}

thread_local! {
    static WORLD: World = World::new();
}

/// Sends a cursor.
pub fn cursors(bytes: &[u8]) {
    let mut choices = Choices::new(bytes);
    WORLD.with(|world| world.check(&mut choices));
}

impl World {
    fn new() -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let directory = tempfile::tempdir().expect("a temporary directory");
        let service = runtime.block_on(async {
            let store = Store::open(directory.path()).expect("a store");
            teams(&store, Environment::Production, Region::Eu, 120).await;
            Service::new(store, Settings::default(), Utc::now, [7; 32]).await
        });
        let mut world = Self {
            runtime,
            routes: wearlab_server::router(Arc::new(service.expect("a service"))),
            cursor: String::new(),
            _directory: directory,
        };
        let (_, first) = world.get(LISTING, "");
        world.cursor = first["next_cursor"].as_str().expect("there is more").to_owned();
        world
    }

    fn check(&self, choices: &mut Choices<'_>) {
        let own = self.cursor.as_str();
        let kind = choices.below(6);
        let (listing, query) = match kind {
            // Any query.
            0 => (LISTING, format!("next_cursor={}", sent(choices.rest(), b"%&=+"))),
            1 => (LISTING, cursor(choices.rest())),
            2 => (LISTING, cursor(&changed(own, choices))),
            3 => (
                *choices.of(&["production/us", "sandbox/eu", "sandbox/us"]),
                cursor(own.as_bytes()),
            ),
            4 => {
                let team = team_id(1 + choices.below(120) as u128);
                (LISTING, format!("{}&team_id={team}", cursor(own.as_bytes())))
            }
            _ => (LISTING, cursor(own.as_bytes())),
        };
        let (status, body) = self.get(listing, &query);
        if status == StatusCode::OK {
            // An empty cursor may be treated as none.
            let same = query.starts_with(&cursor(own.as_bytes()));
            assert!(
                listing == LISTING && !query.contains("team_id"),
                "{query}: of another listing"
            );
            let first = body["pipelines"][0]["team_id"].as_str().expect("a team").to_owned();
            if same {
                assert_eq!(first, team_id(51).to_string(), "{query}");
            } else {
                assert!(kind == 0 && first == team_id(1).to_string(), "{query}: forged");
            }
        } else {
            assert!(kind != 5, "{query}: {status}");
            assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{query}");
        }
    }

    fn get(&self, listing: &str, query: &str) -> (StatusCode, Value) {
        let request = Request::get(format!("/v1/org/{ORGANISATION}/team_etl_pipelines/{listing}?{query}"))
            .header("x-management-key", KEY)
            .body(Body::empty())
            .expect("a request");
        self.runtime.block_on(async {
            let response = self.routes.clone().oneshot(request).await.expect("a response");
            let status = response.status();
            let body = to_bytes(response.into_body(), 1 << 20).await.expect("a body");
            (status, serde_json::from_slice(&body).expect("JSON"))
        })
    }
}

/// Returns the cursor with a byte changed, removed or added, or a part of it.
fn changed(cursor: &str, choices: &mut Choices<'_>) -> Vec<u8> {
    let mut bytes = cursor.as_bytes().to_owned();
    let at = choices.below(bytes.len());
    match choices.below(4) {
        // A different digit, not only in the other case.
        0 => bytes[at] = if bytes[at] == b'0' { b'1' } else { b'0' },
        1 => {
            bytes.remove(at);
        }
        2 => bytes.insert(at, choices.byte()),
        _ => bytes.truncate(at),
    }
    bytes
}

fn cursor(bytes: &[u8]) -> String {
    format!("next_cursor={}", sent(bytes, b""))
}

/// Percent-encodes bytes for a query, except those in `bare`.
fn sent(bytes: &[u8], bare: &[u8]) -> String {
    let as_is = |byte: u8| byte.is_ascii_alphanumeric() || bare.contains(&byte);
    let write = |byte: &u8| match *byte {
        byte if as_is(byte) => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    bytes.iter().map(write).collect()
}
