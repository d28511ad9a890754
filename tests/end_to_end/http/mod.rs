//! Middleware and server, tested on the running service.

mod connections;
mod cors;
mod drain;
mod limits;
pub(crate) mod log;
mod metrics;
mod odd;
mod prefix;
mod provoke;
mod responses;
mod seen;
mod settings;
mod status_scan;
mod statuses;
mod tls;
mod write_statuses;

use std::time::Duration;

use reqwest::header::HeaderMap;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use wearlab_server::operations::Credential;
use wearlab_tests::{QUERY, Running, reads};

/// Time limit of a test.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Received response.
struct RawResponse {
    status: u16,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl RawResponse {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().expect("text"))
    }

    /// Returns the last part of the problem's type, and checks that the problem document is complete.
    fn problem(&self) -> String {
        assert_eq!(self.header("content-type"), Some("application/problem+json"));
        assert_eq!(self.header("cache-control"), Some("no-store"));
        let body: serde_json::Value = serde_json::from_slice(&self.body).expect("JSON");
        assert_eq!(body["status"], self.status);
        assert_eq!(body["request_id"].as_str(), self.header("x-request-id"));
        let kind = body["type"].as_str().expect("a type");
        kind.trim_start_matches("urn:wearlab:problem:").to_owned()
    }
}

async fn send(method: &str, address: &str, headers: &[(&str, &str)]) -> RawResponse {
    let method = method.parse().expect("a method");
    let mut request = wearlab_tests::http().request(method, address);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = request.send().await.expect("a response");
    RawResponse {
        status: response.status().as_u16(),
        headers: response.headers().clone(),
        body: response.bytes().await.expect("a body").to_vec(),
    }
}

/// Returns the URLs of the operations that read, each with the header of its key.
fn operations(running: &Running) -> Vec<(&'static str, String, (&'static str, String))> {
    let sample = &running.sample;
    let each = reads().map(|operation| {
        let path = running.path(operation.path);
        let credential = operation.security[0][0];
        let (url, key) = match credential {
            Credential::ManagementKey => (&running.management_url, &sample.management_key),
            _ => (&running.url, &sample.team_api_key),
        };
        let header = (credential.headers()[0], key.clone());
        (operation.id, format!("{url}{path}{QUERY}"), header)
    });
    each.collect()
}

/// Connects to `http://host:port`.
async fn connect(url: &str) -> TcpStream {
    let address = url.trim_start_matches("http://");
    TcpStream::connect(address).await.expect("a connection")
}

/// Sends bytes, and receives everything until the connection ends.
async fn say(mut stream: impl AsyncRead + AsyncWrite + Unpin, text: impl AsRef<[u8]>) -> String {
    // The connection may be cut before everything is sent.
    let _ = stream.write_all(text.as_ref()).await;
    receive(&mut stream).await
}

/// Receives everything until the connection ends.
async fn receive(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut received = Vec::new();
    let ended = tokio::time::timeout(TIMEOUT, stream.read_to_end(&mut received)).await;
    // A reset ends the connection, too.
    let _ = ended.expect("the connection ends");
    String::from_utf8_lossy(&received).into_owned()
}
