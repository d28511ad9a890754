//! A server on loopback, in a directory of its own.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

/// The password of the user `wearlab`.
pub(crate) const PASSWORD: &str = "pw-4711";

/// A server, stopped on drop.
pub(crate) struct Server {
    process: Child,
    directory: TempDir,
    pub(crate) port: u16,
}

impl Server {
    /// Starts a server with JetStream and the user `wearlab`.
    pub(crate) async fn start() -> Self {
        Self::with(&format!(
            "authorization {{ users = [{{ user: wearlab, password: {PASSWORD} }}] }}"
        ))
        .await
    }

    /// Starts a server with JetStream and lines of its configuration.
    pub(crate) async fn with(lines: &str) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let port = free_port();
        let store = directory.path().join("store");
        let configuration = format!(
            "listen: 127.0.0.1:{port}\nmax_payload: 100000\njetstream {{ store_dir: \"{}\" }}\n{lines}\n",
            store.display()
        );
        std::fs::write(directory.path().join("nats.conf"), configuration).expect("writes");
        let mut server = Self {
            process: spawn(&directory),
            directory,
            port,
        };
        server.until_up().await;
        server
    }

    /// Kills it (kill -9).
    pub(crate) fn kill(&mut self) {
        self.process.kill().expect("it runs");
        self.process.wait().expect("it ends");
    }

    /// Starts it again, at the same port.
    pub(crate) async fn restart(&mut self) {
        self.process = spawn(&self.directory);
        self.until_up().await;
    }

    /// Stops or continues its process, by the name of a signal.
    pub(crate) fn signal(&self, signal: &str) {
        let id = self.process.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status().expect("kill runs");
        assert!(sent.success());
    }

    async fn until_up(&mut self) {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(30) {
            if let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)).await
                && stream.read(&mut [0; 64]).await.is_ok_and(|length| length > 0)
            {
                return;
            }
            let ended = self.process.try_wait().expect("a status");
            assert!(ended.is_none(), "the server does not start: {ended:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("the server does not start");
    }

    /// The URL of the user `wearlab`.
    pub(crate) fn url(&self) -> String {
        self.url_of(&format!("wearlab:{PASSWORD}@"))
    }

    /// The URL with a login, such as `user:password@`.
    pub(crate) fn url_of(&self, login: &str) -> String {
        format!("nats://{login}127.0.0.1:{}", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A port without a listener.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

fn spawn(directory: &TempDir) -> Child {
    let program = std::env::var("NATS_SERVER").expect("NATS_SERVER is set by .ci/nats");
    Command::new(program)
        .arg("--config")
        .arg(directory.path().join("nats.conf"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the server starts")
}
