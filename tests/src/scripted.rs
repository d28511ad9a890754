//! Service with scripted responses, in order, which records the requests.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, Response};
use tokio::task::JoinHandle;
use wearlab_client::{Client, ClientBuilder, RetryPolicy};

/// Scripted response.
#[derive(Clone, Debug)]
pub struct Reply {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: String,
    delay: Duration,
    breaks: bool,
}

impl Reply {
    /// Creates a response with a body.
    pub fn new(status: u16, body: impl ToString) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: body.to_string(),
            delay: Duration::ZERO,
            breaks: false,
        }
    }

    /// Adds a header.
    pub fn header(mut self, name: &'static str, value: impl ToString) -> Self {
        self.headers.push((name, value.to_string()));
        self
    }

    /// Adds a delay.
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Closes the connection before the end of the body.
    pub fn breaks(mut self) -> Self {
        self.breaks = true;
        self
    }

    fn response(self) -> Response<Body> {
        let mut response = Response::builder().status(self.status);
        for (name, value) in self.headers {
            response = response.header(name, value);
        }
        let body = if self.breaks {
            // The announced length is longer than the body.
            response = response.header("content-length", self.body.len() + 1);
            let end = futures_util::stream::once(async {
                // Waits until the beginning of the response was sent.
                tokio::time::sleep(Duration::from_millis(50)).await;
                Err(std::io::Error::other("broken"))
            });
            let begin = futures_util::stream::once(async { Ok(self.body) });
            Body::from_stream(futures_util::StreamExt::chain(begin, end))
        } else {
            Body::from(self.body)
        };
        response.body(body).expect("a response")
    }
}

/// Received request.
#[derive(Clone, Debug)]
pub struct ReceivedRequest {
    /// Time of receipt.
    pub at: Instant,
    /// Path and query.
    pub uri: String,
    /// Headers.
    pub headers: HeaderMap,
}

#[derive(Debug)]
struct Inner {
    /// The last response is repeated.
    replies: VecDeque<Reply>,
    asked: Vec<ReceivedRequest>,
}

/// Service on a free port of this machine. It stops on drop.
#[derive(Debug)]
pub struct Scripted {
    /// Base URL of the service.
    pub url: String,
    inner: Arc<Mutex<Inner>>,
    task: JoinHandle<()>,
}

impl Scripted {
    /// Starts a service with these responses. The last one is repeated.
    pub async fn start(replies: impl IntoIterator<Item = Reply>) -> Self {
        let inner = Arc::new(Mutex::new(Inner {
            replies: replies.into_iter().collect(),
            asked: Vec::new(),
        }));
        let notes = inner.clone();
        let routes = Router::new().fallback(move |request: Request| {
            let reply = take(&mut notes.lock().expect("not poisoned"), &request);
            async move {
                tokio::time::sleep(reply.delay).await;
                reply.response()
            }
        });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let task = tokio::spawn(async move { axum::serve(listener, routes).await.expect("it serves") });
        Self { url, inner, task }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("not poisoned")
    }

    /// Returns the requests so far.
    pub fn asked(&self) -> Vec<ReceivedRequest> {
        self.inner().asked.clone()
    }

    /// Returns the number of requests so far.
    pub fn count(&self) -> usize {
        self.inner().asked.len()
    }

    /// Returns a client of the service with every credential and without retries.
    pub fn client(&self) -> Client {
        let builder = self.builder().retry(RetryPolicy::none());
        builder.build().expect("a client")
    }

    /// Returns a builder of such a client with default retries and timeouts.
    pub fn builder(&self) -> ClientBuilder {
        Client::builder()
            .base_url(&self.url)
            .api_key("k")
            .link_token("l")
            .management_key("m")
    }
}

fn take(inner: &mut Inner, request: &Request) -> Reply {
    inner.asked.push(ReceivedRequest {
        at: Instant::now(),
        uri: request.uri().to_string(),
        headers: request.headers().clone(),
    });
    let last = inner.replies.len() <= 1;
    let reply = if last {
        inner.replies.front().cloned()
    } else {
        inner.replies.pop_front()
    };
    reply.expect("at least one response")
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.task.abort();
    }
}
