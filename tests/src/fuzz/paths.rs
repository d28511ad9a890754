//! Values in paths: the service receives the client's value unchanged, or the client refuses to send it.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{OriginalUri, Path, State};
use axum::http::StatusCode;
use axum::routing::get;
use tokio::runtime::{Builder, Runtime};
use wearlab_client::Client;
use wearlab_models::{Environment, Region};

use super::bytes::Choices;

/// Path that the service received, with the value in it.
type Seen = Arc<Mutex<Option<(String, String)>>>;

/// Client, and a service that records requests.
struct World {
    runtime: Runtime,
    client: Client,
    seen: Seen,
}

thread_local! {
    static WORLD: World = World::new();
}

/// Pieces with a meaning in a URL.
const PIECES: [&str; 20] = [
    "", ".", "..", "/", "\\", "%", "%2e", "%2F", "%00", "?", "#", "&", ";", ":", "@", " ", "\t", "\n", "é", "a",
];

/// Sends a value in a path.
pub fn paths(bytes: &[u8]) {
    let mut choices = Choices::new(bytes);
    let operation = choices.below(3);
    let mut value = choices.text();
    for _ in 0..choices.below(4) {
        let piece: &&str = choices.of(&PIECES);
        value.push_str(piece);
    }
    WORLD.with(|world| world.check(operation, &value));
}

impl World {
    fn new() -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let seen = Seen::default();
        let routes = Router::new()
            .route("/v3/lab_tests/{value}/markers", get(note))
            .route("/v2/link/provider/oauth/{value}", get(note))
            .route("/v1/org/{value}/team_etl_pipelines/production/eu", get(note))
            .with_state(seen.clone());
        let client = runtime.block_on(async {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
            let url = format!("http://{}", listener.local_addr().expect("an address"));
            tokio::spawn(async move { axum::serve(listener, routes).await });
            Client::builder()
                .base_url(url)
                .api_key("key")
                .management_key("key")
                .build()
                .expect("a client")
        });
        Self { runtime, client, seen }
    }

    fn check(&self, operation: usize, value: &str) {
        self.seen.lock().expect("a note").take();
        let failed = self.runtime.block_on(async {
            match operation {
                0 => self.client.list_lab_test_markers(value).send().await.is_err(),
                1 => self.client.get_oauth_provider(value).send().await.is_err(),
                _ => {
                    let call = self
                        .client
                        .list_team_pipelines(value, Environment::Production, Region::Eu);
                    call.send().await.is_err()
                }
            }
        });
        assert!(failed, "the service answers nothing that a client reads");
        let seen = self.seen.lock().expect("a note").take();
        if matches!(value, "" | "." | "..") {
            assert_eq!(seen, None, "{value:?} would lead elsewhere");
            return;
        }
        let (path, read) = seen.unwrap_or_else(|| panic!("{value:?} did not arrive"));
        assert_eq!(read, value);
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~%".contains(&byte);
        assert!(path.bytes().all(plain), "{path}");
    }
}

async fn note(State(seen): State<Seen>, OriginalUri(uri): OriginalUri, Path(value): Path<String>) -> StatusCode {
    let path = uri.path_and_query().map(ToString::to_string).unwrap_or_default();
    seen.lock().expect("a note").replace((path, value));
    StatusCode::NOT_FOUND
}
