//! The server of the mocks. A call that no mock matches gets a list of the mounted ones.

use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wearlab_kit_types::Problem;
use wiremock::{Request, Respond, ResponseTemplate};

/// Describes a mounted mock, and the differences of a request.
pub(crate) type Description = Arc<dyn Fn(&Request) -> String + Send + Sync>;

/// The lowest priority.
const LAST: u8 = u8::MAX;

/// A server on a free port of this machine, which ends when it is dropped. It is [`wiremock`]'s, which it dereferences
/// to, and responds to a call that no mock matches with a 404 whose problem document lists the mounted mocks.
#[derive(Debug)]
pub struct MockServer {
    inner: wiremock::MockServer,
    mounted: Mounted,
}

/// Mounted mocks, in their order.
#[derive(Clone, Default)]
struct Mounted(Arc<Mutex<Vec<Description>>>);

impl MockServer {
    /// Starts a server without mocks.
    pub async fn start() -> Self {
        let server = Self {
            inner: wiremock::MockServer::start().await,
            mounted: Mounted::default(),
        };
        server.answer_the_rest().await;
        server
    }

    /// Removes all mocks and recorded requests.
    pub async fn reset(&self) {
        self.inner.reset().await;
        self.mounted.list().clear();
        self.answer_the_rest().await;
    }

    async fn answer_the_rest(&self) {
        let rest = wiremock::Mock::given(wiremock::matchers::any()).respond_with(self.mounted.clone());
        rest.with_priority(LAST).mount(&self.inner).await;
    }

    pub(crate) fn note(&self, description: Description) {
        self.mounted.list().push(description);
    }
}

impl Deref for MockServer {
    type Target = wiremock::MockServer;

    fn deref(&self) -> &Self::Target {
        &self.inner
    }
}

impl Mounted {
    fn list(&self) -> MutexGuard<'_, Vec<Description>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Mounted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Mounted({})", self.list().len())
    }
}

impl Respond for Mounted {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let mounted: Vec<_> = self.list().iter().map(|describe| describe(request)).collect();
        let mounted = match mounted.is_empty() {
            true => "nothing is mounted".to_owned(),
            false => format!("mounted are: {}", mounted.join("; ")),
        };
        let detail = format!("no mock fits {} {}; {mounted}", request.method, request.url.path());
        let problem = Problem::builder()
            .title("No Mock Fits")
            .status(404)
            .detail(detail)
            .build();
        let body = serde_json::to_vec(&problem).unwrap_or_default();
        ResponseTemplate::new(404).set_body_raw(body, "application/problem+json")
    }
}
