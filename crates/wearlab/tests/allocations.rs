//! Allocations of a read: their number, which every request of a busy service pays for, and their size.

use allocation_counter::measure;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use chrono::Utc;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime;
use uuid::Uuid;
use wearlab::config::log::LogSettings;
use wearlab::log;
use wearlab::serve::Server;
use wearlab_http::settings::HttpSettings;
use wearlab_sample::{Sample, SampleOptions};
use wearlab_service::{Service, Settings};
use wearlab_store::{DeprecatedForms, Ingested, Ingestion, Store, ValidArrival};

/// Maximum allocations of a read.
const MOST: f64 = 12.0;
/// Requests of the warm-up, which fill the caches.
const WARM_UP: u64 = 50;
const READS: u64 = 500;

/// Starts a service on this thread with the defaults, in its own directory.
async fn served(directory: &tempfile::TempDir) -> (SocketAddr, Sample) {
    let store = Store::open(directory.path()).expect("a store");
    let options = SampleOptions { seed: 1, users: 200 };
    let sample = wearlab_sample::fill(&store, &options).await.expect("a sample");
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

/// Connection that repeats a request, and allocates nothing itself.
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

/// Returns the length of a response, once its head has arrived.
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

/// Maximum memory of a read of many long values, apart from that of the engine.
const LONG_READ: u64 = 24 << 20;
const LONG: usize = 1 << 19;
const VALUES: usize = 80;

/// Notes and workouts of a user, each with a long text.
async fn put_long_values(store: &Store, sample: &Sample) {
    let forms = DeprecatedForms::default();
    let ingestion = Ingestion {
        now: Utc::now(),
        fresh_id: || Uuid::from_u128(rand::random()),
        forms,
    };
    for number in 0..VALUES {
        let text = format!("{number:04}").repeat(LONG / 4);
        let at = format!("2026-05-01T10:00:{:02}.{:03}Z", number % 60, number);
        let id = Uuid::from_u128(7_000 + number as u128);
        for (resource, value) in [
            ("note", json!({"timestamp": at, "value": text})),
            (
                "workouts",
                json!({"id": id, "time_start": at, "time_end": "2026-05-01T11:00:00Z", "provider_id": "one",
                    "map": {"polyline": text}}),
            ),
        ] {
            let line = json!({"data": {"team_id": sample.team_id, "user_id": sample.user_id, "provider": "stridewell",
                "resource": resource, "date": "2026-05-01", "data": [value]}});
            let arrival: ValidArrival = serde_json::from_value(line).expect("an arrival");
            let written = store.write(|write| write.ingest(&arrival, &ingestion)).await;
            assert_eq!(written.expect("writes"), Ingested::Taken);
        }
    }
}

/// Reads a response until the connection closes, and returns its length and its end.
async fn read(address: SocketAddr, path: &str, key: &str) -> (usize, String) {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let request =
        format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nx-service-api-key: {key}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("sent");
    let (mut length, mut last) = (0, Vec::new());
    let mut part = vec![0; 64 * 1024];
    loop {
        let count = stream.read(&mut part).await.expect("a response");
        if count == 0 {
            return (length, String::from_utf8_lossy(&last).into_owned());
        }
        if length == 0 {
            assert!(part.starts_with(b"HTTP/1.1 200 OK\r\n"), "{path}");
        }
        length += count;
        last.extend_from_slice(&part[..count]);
        let excess = last.len().saturating_sub(2048);
        last.drain(..excess);
    }
}

#[test]
fn a_read_of_many_long_values_takes_little_memory() {
    let directory = tempfile::tempdir().expect("a directory");
    let (dispatch, _log) = log::to(&LogSettings::default(), io::sink).expect("a log");
    let _guard = tracing::dispatcher::set_default(&dispatch);
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let (address, sample) = runtime.block_on(served(&directory));
    let store = Store::open(directory.path()).expect("the same store");
    runtime.block_on(put_long_values(&store, &sample));
    let (key, user) = (&sample.team_api_key, sample.user_id);
    let dates = "start_date=2026-05-01&end_date=2026-05-01";

    let list = format!("/v2/summary/workouts/{user}?{dates}");
    let mut length = 0;
    let taken = measure(|| (length, _) = runtime.block_on(read(address, &list, key))).bytes_max;
    assert!(length > VALUES * LONG, "{length}");
    assert!(taken < LONG_READ, "{taken} bytes for {length}");

    let (mut length, mut pages, mut cursor) = (0, 0, String::new());
    let taken = measure(|| {
        loop {
            let path = format!("/v2/timeseries/{user}/note/grouped?{dates}{cursor}");
            let (page, last) = runtime.block_on(read(address, &path, key));
            (length, pages) = (length + page, pages + 1);
            let (_, next) = last.rsplit_once(r#""next_cursor":"#).expect("a cursor, or none");
            match next.trim_matches(['"', '}']) {
                "null" => return,
                next => cursor = format!("&next_cursor={next}"),
            }
        }
    })
    .bytes_max;
    assert!(length > VALUES * LONG && pages > 10, "{length} in {pages} pages");
    assert!(taken < LONG_READ, "{taken} bytes for {length}");
}
