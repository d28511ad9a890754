//! The broker of `.ci/rabbitmq`.

use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Lock that is exclusive for tests that disturb the broker.
static TURNS: RwLock<()> = RwLock::const_new(());

pub(crate) async fn shared() -> RwLockReadGuard<'static, ()> {
    TURNS.read().await
}

pub(crate) async fn alone() -> RwLockWriteGuard<'static, ()> {
    TURNS.write().await
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is set by .ci/rabbitmq"))
}

/// A file of the broker's directory.
pub(crate) fn file(name: &str) -> String {
    let path = format!("{}/{name}", variable("RABBITMQ_DIR"));
    std::fs::read_to_string(path)
        .expect("a file of the broker")
        .trim()
        .to_owned()
}

pub(crate) fn uri() -> String {
    file("uri")
}

/// The URI with another port, such as a proxy's.
pub(crate) fn uri_at(port: u16) -> String {
    let uri = uri();
    let (before, after) = uri.rsplit_once(':').expect("a port");
    let (_, path) = after.split_once('/').expect("a virtual host");
    format!("{before}:{port}/{path}")
}

pub(crate) fn port() -> u16 {
    let uri = uri();
    let (_, after) = uri.rsplit_once(':').expect("a port");
    let (port, _) = after.split_once('/').expect("a virtual host");
    port.parse().expect("a port")
}

/// Runs the broker's script.
pub(crate) async fn script(action: &'static str, arguments: &[&str]) -> String {
    let arguments: Vec<_> = arguments.iter().map(ToString::to_string).collect();
    let output = tokio::task::spawn_blocking(move || {
        Command::new(variable("RABBITMQ_BROKER"))
            .args([action, &variable("RABBITMQ_DIR")])
            .args(arguments)
            .output()
    });
    let output = output.await.expect("no panic").expect("the script runs");
    assert!(
        output.status.success(),
        "{action}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("text")
}

pub(crate) fn python() -> String {
    variable("RABBITMQ_PYTHON")
}

/// A name that no other test uses.
pub(crate) fn name() -> String {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    format!("test-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}
