//! Receivers of webhooks: one with scripted responses, and one that sends any bytes.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::IntoResponse;
use axum::serve::ListenerExt as _;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A request as received.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// A receiver with scripted responses.
pub(crate) struct Receiver {
    pub(crate) url: String,
    received: Arc<Mutex<Vec<Received>>>,
    connections: Arc<AtomicUsize>,
}

impl Receiver {
    pub(crate) async fn start<A, F, R>(response: A) -> Self
    where
        A: Fn(Received) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = R> + Send + 'static,
        R: IntoResponse + 'static,
    {
        Self::start_at("127.0.0.1:0", response).await
    }

    /// Starts it at an address of its own.
    pub(crate) async fn start_at<A, F, R>(address: &str, response: A) -> Self
    where
        A: Fn(Received) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = R> + Send + 'static,
        R: IntoResponse + 'static,
    {
        let (received, connections) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicUsize::new(0)));
        let listener = TcpListener::bind(address).await.expect("a port");
        let url = format!("http://{}/hook", listener.local_addr().expect("an address"));
        let (seen, counted) = (Arc::clone(&received), Arc::clone(&connections));
        let router = Router::new().fallback(move |method, uri, headers, body| {
            let request = Received {
                method,
                uri,
                headers,
                body,
            };
            seen.lock().expect("no panic").push(request.clone());
            response(request)
        });
        let listener = listener.tap_io(move |_| {
            counted.fetch_add(1, Ordering::Relaxed);
        });
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self {
            url,
            received,
            connections,
        }
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().expect("no panic").clone()
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }
}

/// A response without a body.
pub(crate) fn status(code: u16) -> StatusCode {
    code.try_into().expect("a status")
}

/// Responds to every connection by a function, once its request is there. Returns the receiver's address.
pub(crate) async fn raw<A, F>(response: A) -> String
where
    A: Fn(TcpStream) -> F + Send + 'static,
    F: Future<Output = std::io::Result<()>> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/hook", listener.local_addr().expect("an address"));
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = [0; 4096];
            let _ = stream.read(&mut request).await;
            tokio::spawn(response(stream));
        }
    });
    url
}

/// A receiver that sends some bytes, and then waits.
pub(crate) async fn says(bytes: impl Into<Bytes>) -> String {
    let bytes = bytes.into();
    raw(move |mut stream| {
        let bytes = bytes.clone();
        async move {
            stream.write_all(&bytes).await?;
            std::future::pending().await
        }
    })
    .await
}
