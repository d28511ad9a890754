//! Credentials at each place of a request: accepted, 401 or 403.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Map, json};
use wearlab_client::operations::Credential;
use wearlab_client::{Client, ClientBuilder, Error};
use wearlab_models::Secret;
use wearlab_server::router;

use crate::operations::{self, ALL, SOME};
use crate::service::Service;

/// A call of an operation with the credentials of a client: 200, or the status of the error.
async fn status(url: &str, id: &str, credentials: impl FnOnce(ClientBuilder) -> ClientBuilder) -> Result<u16, Error> {
    let client = credentials(Client::builder().base_url(url)).build()?;
    match operations::call(id, &client, &Map::new()).await {
        Ok(_) => Ok(200),
        Err(error) => {
            let shown = format!("{error} {error:?} {client:?}");
            assert!(!shown.contains("credential-"), "{shown}");
            error.status().map(|status| status.as_u16()).ok_or(error)
        }
    }
}

#[test]
fn credentials_are_checked() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let service = Service::default();
        service.script(json!("big"));
        let app = router(Arc::new(service));
        tokio::spawn(async move { axum::serve(listener, app).await });
        type Set = fn(ClientBuilder) -> ClientBuilder;
        let wrong = "user:credential-wrong";
        let cases: [(&str, Set, u16); 22] = [
            ("read_openly", |b| b, 200),
            ("read_with_or_without", |b| b, 200),
            ("read_with_or_without", |b| b.kind_token(ALL), 200),
            ("read_with_or_without", |b| b.kind_token("user:credential-wrong"), 401),
            ("read_with_query_key", |b| b.kind_query(ALL), 200),
            ("read_with_query_key", |b| b.kind_query("user:credential-wrong & more"), 401),
            ("read_with_cookie", |b| b.kind_cookie(ALL).kind_query(ALL), 200),
            ("read_with_cookie", |b| b.kind_cookie("user:credential-wrong; a=b").kind_query(ALL), 401),
            ("read_with_password", |b| b.login("user", "credential-all"), 200),
            ("read_with_password", |b| b.login("user", "credential-wrong"), 401),
            // The alternatives share a header.
            ("read_with_token_or_password", |b| b.kind_token(ALL), 200),
            ("read_with_token_or_password", |b| b.login("user", "credential-all"), 200),
            ("read_with_token_or_password", |b| b.login("user", "credential-wrong"), 401),
            ("read_with_scope", |b| b.access_token(ALL), 200),
            ("read_with_scope", |b| b.access_token(SOME), 200),
            ("read_with_scope", |b| b.access_token("user:credential-wrong"), 401),
            ("read_with_scopes", |b| b.access_token(ALL), 200),
            ("read_with_scopes", |b| b.access_token(SOME), 403),
            ("read_with_scopes", |b| b.timeout_credential(SOME), 403),
            // One of two alternatives has its scopes.
            ("read_with_scopes", |b| b.access_token(SOME).timeout_credential(ALL), 200),
            ("read_with_identity", |b| b.identity(ALL).timeout_credential(SOME), 200),
            ("read_with_identity", |b| b.identity(SOME).timeout_credential(ALL), 403),
        ];
        for (index, (id, credentials, expected)) in cases.into_iter().enumerate() {
            let found = status(&url, id, credentials).await.expect("a status");
            assert_eq!(found, expected, "case {index}: {id}");
        }
        for (id, credentials) in [
            ("read_with_query_key", (|b| b) as Set),
            ("read_with_cookie", |b| b.kind_query(ALL)),
            ("read_with_identity", |b| b.identity(ALL)),
        ] {
            let error = status(&url, id, credentials).await.expect_err("not sent");
            assert!(matches!(error, Error::InvalidRequest(_)), "{id}: {error}");
        }

        // A provider is called for a token, and once more if the service refuses it.
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let provide = move |refused: Option<Secret>| {
            count.fetch_add(1, Ordering::SeqCst);
            assert!(refused.as_ref().is_none_or(|refused| refused.expose() == wrong));
            let token = if refused.is_some() { ALL } else { wrong };
            async move { Ok::<_, std::io::Error>(Secret::new(token)) }
        };
        let set = |b: ClientBuilder| b.token_provider(Credential::KindAccess, provide);
        assert_eq!(status(&url, "read_with_scope", set).await.expect("a status"), 200);
        assert_eq!(asked.load(Ordering::SeqCst), 2);
        let stale = |_| async move { Ok::<_, std::io::Error>(Secret::new("user:credential-stale")) };
        let set = |b: ClientBuilder| b.token_provider(Credential::KindAccess, stale);
        assert_eq!(status(&url, "read_with_scope", set).await.expect("a status"), 401);
        let failing = |_| async { Err::<Secret, _>("no network") };
        let set = |b: ClientBuilder| b.token_provider(Credential::KindAccess, failing);
        let error = status(&url, "read_with_scope", set).await.expect_err("no token");
        assert!(matches!(error, Error::Token(_)), "{error}");
    });
}
