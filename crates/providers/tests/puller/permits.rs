//! Requests of a connector, and the permits that it waited for.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::AUTHORIZATION;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use wearlab_connect::{Account, Collection, Profile, Provider, Reading, Reply, Session, Span};
use wearlab_models::ProviderSettings;

/// Numbers of permits and requests. Quotas are kept if no request is without a permit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Permits {
    permits: Arc<AtomicU64>,
    requests: Arc<AtomicU64>,
}

impl Permits {
    /// Returns a router that counts the requests with an access token.
    pub(crate) fn layer(&self, router: Router) -> Router {
        router.layer(from_fn_with_state(self.clone(), count))
    }

    /// Checks that each request had a permit.
    pub(crate) fn check(&self) {
        let (permits, requests) = (
            self.permits.load(Ordering::Relaxed),
            self.requests.load(Ordering::Relaxed),
        );
        assert!(requests > 0, "the API is called");
        assert!(requests <= permits, "{requests} requests with {permits} permits");
    }
}

async fn count(State(permits): State<Permits>, request: Request, next: Next) -> Response {
    let credential = request.headers().get(AUTHORIZATION);
    if credential.is_some_and(|credential| credential.as_bytes().starts_with(b"Bearer ")) {
        permits.requests.fetch_add(1, Ordering::Relaxed);
    }
    next.run(request).await
}

/// Provider whose permits are counted.
pub(crate) struct Permitted {
    pub(crate) provider: Box<dyn Provider>,
    pub(crate) permits: Permits,
}

/// Counts the permits of a session when a call ends, also when it is dropped.
struct Count<'a>(&'a Session, &'a Permits);

impl Drop for Count<'_> {
    fn drop(&mut self) {
        let permits = self.0.requests.swap(0, Ordering::Relaxed);
        self.1.permits.fetch_add(permits, Ordering::Relaxed);
    }
}

impl Provider for Permitted {
    fn profile(&self) -> &'static Profile {
        self.provider.profile()
    }

    fn settings(&self) -> ProviderSettings {
        self.provider.settings()
    }

    fn account<'a>(&'a self, session: &'a Session) -> Reply<'a, Account> {
        Box::pin(async move {
            let _count = Count(session, &self.permits);
            self.provider.account(session).await
        })
    }

    fn pull<'a>(
        &'a self,
        session: &'a Session,
        collection: &'static Collection,
        span: Span,
    ) -> Reply<'a, Vec<Reading>> {
        Box::pin(async move {
            let _count = Count(session, &self.permits);
            self.provider.pull(session, collection, span).await
        })
    }
}
