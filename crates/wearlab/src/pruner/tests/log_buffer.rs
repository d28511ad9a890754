//! Buffer of log lines in memory.

use std::io;
use std::sync::{Arc, LazyLock, Mutex};

use serde_json::Value;
use tracing::Dispatch;
use tracing::subscriber::NoSubscriber;

/// Second dispatcher. With a single one, the first thread that reaches a log line decides for all threads.
static SECOND: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(NoSubscriber::default()));

/// Collects the log of this thread until it is dropped.
#[derive(Clone, Default)]
pub(super) struct LogBuffer(Arc<Mutex<Vec<u8>>>);

impl io::Write for LogBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl LogBuffer {
    pub(super) fn listen(&self) -> tracing::subscriber::DefaultGuard {
        LazyLock::force(&SECOND);
        let log = self.clone();
        let log = tracing_subscriber::fmt()
            .json()
            .with_writer(move || log.clone())
            .finish();
        tracing::subscriber::set_default(log)
    }

    pub(super) fn lines(&self) -> Vec<Value> {
        let text = String::from_utf8(self.0.lock().expect("no panic").clone()).expect("text");
        let lines = text.lines().map(|line| serde_json::from_str(line).expect("JSON"));
        lines.collect()
    }
}
