//! A service whose responses follow from the names of its topics.

use std::time::Duration;

use serde_json::Value;

use super::lines::Lines;

/// Time for further requests after the last expected one.
const MOMENT: Duration = Duration::from_millis(300);

/// The service, stopped on drop.
pub(crate) struct Service {
    lines: Lines,
    port: String,
}

/// A request that it received.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) ids: Vec<String>,
    pub(crate) keys: Vec<String>,
    pub(crate) taken: bool,
}

impl Service {
    pub(crate) fn start() -> Self {
        Self::with(&[])
    }

    /// Serves TLS and authentication, with a certificate chain, its key, and the public key of an account, each a file.
    pub(crate) fn with(arguments: &[&str]) -> Self {
        let lines = Lines::of("pubsub_service.py", arguments);
        let port = lines.next();
        Self { lines, port }
    }

    pub(crate) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(crate) fn secure(&self) -> String {
        format!("https://localhost:{}", self.port)
    }

    /// The requests since the last call, a minimum number of them.
    pub(crate) fn requests(&self, least: usize) -> Vec<Request> {
        let mut count = 0;
        let last = |_: &str| {
            count += 1;
            count == least
        };
        let lines = self.lines.until(last, MOMENT);
        lines.iter().map(|line| request(line)).collect()
    }
}

fn request(line: &str) -> Request {
    let line: Value = serde_json::from_str(line).expect("a line of JSON");
    let texts = |name: &str| serde_json::from_value(line[name].clone()).expect("texts");
    Request {
        ids: texts("ids"),
        keys: texts("keys"),
        taken: line["taken"] == true,
    }
}
