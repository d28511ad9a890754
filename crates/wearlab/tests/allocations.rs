//! How often a read takes memory from the allocator: each time costs every request of a busy service.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use allocation_counter::measure;
use chrono::Utc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime;
use wearlab::config::http::HttpSettings;
use wearlab::config::log::LogSettings;
use wearlab::sample::{self, Sample, SampleOptions};
use wearlab::serve::Server;
use wearlab::{Service, Settings, log};
use wearlab_store::Store;

/// How often a read may.
const MOST: f64 = 12.0;
/// What is known of a request to come is made with the first ones.
const WARM_UP: u64 = 50;
const READS: u64 = 500;

/// A service on this thread, as it is by default, in its own directory.
async fn served(directory: &tempfile::TempDir) -> (SocketAddr, Sample) {
    let store = Store::open(directory.path()).expect("a store");
    let options = SampleOptions { seed: 1, users: 200 };
    let sample = sample::fill(&store, &options).await.expect("a sample");
    let service = Service::new(store, Settings::default(), Utc::now, [7; 32]);
    let server = Server::bind(HttpSettings {
        listen: ([127, 0, 0, 1], 0).into(),
        ..HttpSettings::default()
    });
    let server = server.await.expect("a free port");
    let address = server.address().expect("an address");
    let service = Arc::new(service.await.expect("a service"));
    tokio::spawn(server.run(service, std::future::pending()));
    (address, sample)
}

/// A connection that asks the same again and again, and takes no memory itself.
struct Caller {
    stream: TcpStream,
    request: String,
    response: Vec<u8>,
}

impl Caller {
    async fn new(address: SocketAddr, path: &str, key: &str) -> Self {
        let mut stream = TcpStream::connect(address).await.expect("a connection");
        let request = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nx-service-api-key: {key}\r\n\r\n");
        stream.write_all(request.as_bytes()).await.expect("sent");
        // All responses are as long as the first.
        let (mut response, mut length) = (Vec::new(), None);
        while length.is_none_or(|length| response.len() < length) {
            stream.read_buf(&mut response).await.expect("a response");
            length = whole(&response);
        }
        assert!(response.starts_with(b"HTTP/1.1 200 OK\r\n"), "{path}");
        Self {
            stream,
            request,
            response,
        }
    }

    async fn ask(&mut self, times: u64) {
        for _ in 0..times {
            self.stream.write_all(self.request.as_bytes()).await.expect("sent");
            self.stream.read_exact(&mut self.response).await.expect("a response");
            assert!(self.response.starts_with(b"HTTP/1.1 200 OK\r\n"));
        }
    }
}

/// How long a response is, once its head is there.
fn whole(response: &[u8]) -> Option<usize> {
    let text = String::from_utf8_lossy(response).to_lowercase();
    let head = text.find("\r\n\r\n")? + 4;
    let (_, rest) = text.split_once("content-length: ")?;
    Some(head + rest.split("\r\n").next()?.parse::<usize>().ok()?)
}

#[test]
fn a_read_takes_memory_a_few_times() {
    let directory = tempfile::tempdir().expect("a directory");
    let (dispatch, _log) = log::to(&LogSettings::default(), io::sink).expect("a log");
    let _guard = tracing::dispatcher::set_default(&dispatch);
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let (address, sample) = runtime.block_on(served(&directory));
    for path in [format!("/v2/user/{}", sample.user_id), "/v2/user?limit=100".to_owned()] {
        let mut caller = runtime.block_on(Caller::new(address, &path, &sample.team_api_key));
        runtime.block_on(caller.ask(WARM_UP));
        let taken = measure(|| runtime.block_on(caller.ask(READS))).count_total;
        let each = taken as f64 / READS as f64;
        assert!(each > 1.0, "nothing is counted");
        assert!(each <= MOST, "{path}: {each}");
    }
}
