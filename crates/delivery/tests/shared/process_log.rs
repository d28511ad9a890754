//! Log of the test process, of every level and all threads: a client with threads of its own logs outside of the test's.

use std::io;
use std::sync::{Mutex, OnceLock};

use tracing_subscriber::fmt::MakeWriter;

static LINES: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Starts to capture the log.
pub(crate) fn capture() {
    static ONCE: OnceLock<()> = OnceLock::new();
    ONCE.get_or_init(|| {
        tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_writer(Lines)
            .init();
    });
}

/// Returns the whole log.
pub(crate) fn end() -> String {
    tracing::info!("the end");
    let logged = String::from_utf8(LINES.lock().expect("no panic").clone()).expect("text");
    assert!(logged.contains("the end"), "the log is captured");
    logged
}

#[derive(Clone)]
struct Lines;

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LINES.lock().expect("no panic").extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        Self
    }
}
