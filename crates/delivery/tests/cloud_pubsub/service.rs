//! A service that answers as its topics are named.

use std::time::Duration;

use serde_json::Value;

use super::lines::Lines;

/// How long more requests may come after the last one that is missed.
const MOMENT: Duration = Duration::from_millis(300);

/// The service, which ends with this.
pub(crate) struct Service {
    lines: Lines,
    port: String,
}

/// A request that it saw.
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

    /// With a certificate chain, its key, and the public key of an account, each a file.
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

    /// The requests since the last time, of which there are so many at least.
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
