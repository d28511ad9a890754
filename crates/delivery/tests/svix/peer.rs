//! In-memory server with a part of Svix's API: applications and messages, as its public reference
//! and its open server have them. Its responses can be scripted.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::DefaultBodyLimit;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::serve::ListenerExt as _;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::model::{Refusal, Store};

pub(crate) const TOKEN: &str = "testsk_hunter2.eu";

/// A request as received.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }

    pub(crate) fn makes_message(&self) -> bool {
        self.method == Method::POST && self.uri.path().ends_with("/msg")
    }

    fn query(&self) -> HashMap<&str, &str> {
        let pairs = self.uri.query().unwrap_or_default().split('&');
        pairs.filter_map(|pair| pair.split_once('=')).collect()
    }
}

/// Handling of a request.
pub(crate) enum Fate {
    /// The usual behaviour of a Svix server.
    Usual,
    /// Only the given response, without an effect.
    Answered(Response),
    /// The usual effect, without a response.
    Lost,
}

type Decide = dyn Fn(&Request) -> Fate + Send + Sync;

#[derive(Clone)]
pub(crate) struct Peer {
    pub(crate) url: String,
    shared: Arc<Shared>,
}

struct Shared {
    store: Mutex<Store>,
    requests: Mutex<Vec<Request>>,
    connections: AtomicUsize,
    under_way: AtomicUsize,
    most_under_way: AtomicUsize,
    decide: Box<Decide>,
}

impl Peer {
    pub(crate) async fn start() -> Self {
        Self::with(|_| Fate::Usual).await
    }

    pub(crate) async fn with(decide: impl Fn(&Request) -> Fate + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let shared = Arc::new(Shared {
            store: Mutex::default(),
            requests: Mutex::default(),
            connections: AtomicUsize::new(0),
            under_way: AtomicUsize::new(0),
            most_under_way: AtomicUsize::new(0),
            decide: Box::new(decide),
        });
        let (answering, counting) = (Arc::clone(&shared), Arc::clone(&shared));
        let response = move |method, uri, headers, body| {
            let request = Request {
                method,
                uri,
                headers,
                body,
            };
            response(Arc::clone(&answering), request)
        };
        let router = Router::new().fallback(response).layer(DefaultBodyLimit::disable());
        let listener = listener.tap_io(move |_| {
            counting.connections.fetch_add(1, Ordering::Relaxed);
        });
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, shared }
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.shared.requests.lock().expect("no panic").clone()
    }

    /// The requests that create messages.
    pub(crate) fn sent(&self) -> Vec<Request> {
        self.requests().into_iter().filter(Request::makes_message).collect()
    }

    pub(crate) fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::Relaxed)
    }

    pub(crate) fn most_under_way(&self) -> usize {
        self.shared.most_under_way.load(Ordering::SeqCst)
    }

    /// Access to the store.
    pub(crate) fn store<T>(&self, see: impl FnOnce(&mut Store) -> T) -> T {
        see(&mut self.shared.store.lock().expect("no panic"))
    }
}

async fn response(shared: Arc<Shared>, request: Request) -> Response {
    let now = shared.under_way.fetch_add(1, Ordering::SeqCst) + 1;
    shared.most_under_way.fetch_max(now, Ordering::SeqCst);
    shared.requests.lock().expect("no panic").push(request.clone());
    // Delay by which concurrent requests are recorded together.
    tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    let response = match (shared.decide)(&request) {
        Fate::Usual => usual(&shared, &request),
        Fate::Answered(response) => response,
        Fate::Lost => {
            usual(&shared, &request);
            std::future::pending().await
        }
    };
    shared.under_way.fetch_sub(1, Ordering::SeqCst);
    response
}

fn usual(shared: &Shared, request: &Request) -> Response {
    if request.header("authorization") != Some(&format!("Bearer {TOKEN}")) {
        let refusal = json!({"code": "authentication_failed", "detail": "Invalid token"});
        return respond(401, &refusal);
    }
    let path: Vec<_> = request.uri.path().trim_matches('/').split('/').collect();
    let query = request.query();
    let mut store = shared.store.lock().expect("no panic");
    let response = match (request.method.as_str(), &path[..]) {
        ("POST", ["api", "v1", "app"]) => store.make_application(&request.body, &query),
        ("GET", ["api", "v1", "app", app]) => store.application(app).map(|application| (200, application)),
        ("POST", ["api", "v1", "app", app, "msg"]) => store.make_message(app, &request.body, &query),
        ("GET", ["api", "v1", "app", app, "msg"]) => store.list(app, &query).map(|list| (200, list)),
        ("GET", ["api", "v1", "app", app, "msg", id]) => store.message(app, id, &query).map(|message| (200, message)),
        _ => Err(Refusal::NotFound),
    };
    match response {
        Ok((status, body)) => respond(status, &body),
        Err(refusal) => respond(refusal.status(), &refusal.body()),
    }
}

pub(crate) fn respond(status: u16, body: &Value) -> Response {
    let status = StatusCode::from_u16(status).expect("a status");
    (status, [("content-type", "application/json")], body.to_string()).into_response()
}
