//! Address of notices of tests, and applications that subscribe to it.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use chrono::{DateTime, Utc};
use wearlab_connect::{
    Application, Change, Notice, NoticeRequest, NoticeResponse, NoticeSecrets, Provider, Received, Refusal,
};
use wearlab_models::Secret;

use super::service::{client, serve};

/// Returns the secrets of the client `client`, whose secret is `secret`.
pub(crate) fn secrets() -> NoticeSecrets {
    NoticeSecrets {
        client_secret: Secret::new("secret"),
        verification_tokens: vec![Secret::new("current"), Secret::new("earlier")],
    }
}

/// Receives a request of 12:00 on 10 March 2026, which is 1773144000 s since 1970.
pub(crate) fn receive(
    provider: &dyn Provider,
    method: Method,
    query: &str,
    fields: &[(&'static str, &str)],
    body: &str,
) -> Received {
    let field = |(name, value): &(&'static str, &str)| (name.parse().expect("a name"), value.parse().expect("a value"));
    let headers: HeaderMap = fields.iter().map(field).collect();
    let request = NoticeRequest {
        method: &method,
        query,
        headers: &headers,
        body: body.as_bytes(),
        received: received(),
    };
    provider.receive(&request, &secrets())
}

/// Time of [`receive`].
pub(crate) fn received() -> DateTime<Utc> {
    "2026-03-10T12:00:00Z".parse().expect("a time")
}

pub(crate) fn is_forged(received: &Received) -> bool {
    matches!(received, Received::Forged { response, .. } if response.status == 401)
}

/// Address of notices that keeps what it receives.
#[derive(Clone)]
pub(crate) struct Address {
    provider: &'static dyn Provider,
    notices: Arc<Mutex<Vec<Notice>>>,
}

impl Address {
    /// Listens, and returns the URL, too, whose last part is a secret.
    pub(crate) async fn start(provider: &'static dyn Provider) -> (Self, String) {
        let address = Self {
            provider,
            notices: Arc::default(),
        };
        let receiver = address.clone();
        let handle = async move |method: Method, uri: Uri, headers: HeaderMap, body: Bytes| {
            receiver.receive(&method, &uri, &headers, &body)
        };
        let url = serve(Router::new().route("/notices/{secret}", any(handle))).await;
        (address, format!("{url}/notices/one"))
    }

    fn receive(&self, method: &Method, uri: &Uri, headers: &HeaderMap, body: &Bytes) -> Response {
        let request = NoticeRequest {
            method,
            query: uri.query().unwrap_or_default(),
            headers,
            body,
            received: Utc::now(),
        };
        let response = match self.provider.receive(&request, &secrets()) {
            Received::Notices { response, notices, .. } => {
                self.notices.lock().expect("not poisoned").extend(notices);
                response
            }
            Received::Check(response) | Received::Forged { response, .. } => response,
            Received::Unsupported => NoticeResponse::new(404),
        };
        let status = StatusCode::from_u16(response.status).expect("a status");
        (status, response.body.map(|body| body.to_string()).unwrap_or_default()).into_response()
    }

    /// Returns what was received since the last call.
    pub(crate) fn take(&self) -> Vec<Notice> {
        std::mem::take(&mut self.notices.lock().expect("not poisoned"))
    }
}

/// Returns an application of a simulation.
pub(crate) fn application(base_url: &str, client_id: &str, notices_url: &str) -> Application {
    Application {
        http: client(),
        base_url: Some(base_url.to_owned()),
        client_id: client_id.to_owned(),
        client_secret: Secret::new("secret"),
        pace: Arc::default(),
        notices_url: Secret::new(notices_url),
        verification_token: Secret::new("current"),
        now: Utc::now(),
    }
}

/// Brings the subscriptions of an application into the wanted state.
pub(crate) async fn subscribe(provider: &dyn Provider, application: &Application) -> Result<DateTime<Utc>, Refusal> {
    provider.subscribe(application).expect("subscriptions").await
}

/// Checks that a URL that does not answer, and a client secret that is wrong, are refusals.
pub(crate) async fn check_refused(
    provider: &'static dyn Provider,
    service_url: &str,
    application: impl Fn(&str) -> Application,
) {
    let nowhere = application(&format!("{service_url}/nowhere"));
    let refused = subscribe(provider, &nowhere).await;
    assert!(matches!(refused, Err(Refusal::Failed(_))), "{refused:?}");
    let (_, url) = Address::start(provider).await;
    let guessed = Application {
        client_secret: Secret::new("guessed"),
        ..application(&url)
    };
    assert_eq!(subscribe(provider, &guessed).await, Err(Refusal::Unauthorized));
}

/// Checks that a change names collections of the provider, and resources of them.
pub(crate) fn check_change(provider: &dyn Provider, change: &Change) {
    let of = |name: &str| {
        let mut collections = provider.profile().collections.iter();
        collections.find(|one| one.name == name).expect("a collection")
    };
    let (collections, document) = match change {
        Change::Data {
            collections, document, ..
        } => (collections.to_vec(), document.as_ref()),
        Change::Document { collections, document } => (collections.to_vec(), Some(document)),
        Change::Deleted { collection, document } => (vec![*collection], Some(document)),
        Change::Deauthorised { .. } => return,
    };
    assert!(!collections.is_empty(), "{change:?}");
    let resources: Vec<_> = collections.iter().flat_map(|name| of(name).resources).collect();
    let document = document.into_iter().flat_map(|document| document.resources);
    document.for_each(|resource| assert!(resources.contains(&resource), "{change:?}"));
}
