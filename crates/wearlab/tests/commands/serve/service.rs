//! `wearlab serve` as a process, and its HTTP client.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::fixture::Fixture;

/// Timeout of a wait.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(30);
/// Time within which a service sees changes of the store by other processes.
const SEEN_WITHIN: Duration = Duration::from_secs(1);

/// Running service.
pub(crate) struct Serving {
    child: Child,
    pub(crate) address: String,
    pub(crate) management: String,
    log: Arc<Mutex<String>>,
    paused: Arc<AtomicBool>,
    reader: Option<JoinHandle<()>>,
}

impl Serving {
    /// Starts a service at free ports, with a log in JSON.
    pub(crate) fn start(fixture: &Fixture, arguments: &[&str]) -> Self {
        Self::of(command(fixture, arguments))
    }

    pub(crate) fn of(mut command: Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().expect("the binary starts");
        let mut lines = BufReader::new(child.stderr.take().expect("piped"));
        let log = Arc::new(Mutex::new(String::new()));
        let listening = loop {
            let mut line = String::new();
            if lines.read_line(&mut line).expect("text") == 0 {
                let message = log.lock().expect("not poisoned").clone();
                panic!("it ended, {:?}: {message}", child.wait());
            }
            log.lock().expect("not poisoned").push_str(&line);
            if line.contains("listening") {
                break line;
            }
        };
        // `"address":"127.0.0.1:1"` in JSON, `address=127.0.0.1:1` in text.
        let address = |name: &str| {
            let (_, rest) = listening.split_once(name).expect("an address");
            let rest = rest.trim_start_matches(['"', ':', '=']);
            let end = rest.find(|c: char| !c.is_ascii_digit() && !".:".contains(c));
            rest[..end.unwrap_or(rest.len())].to_owned()
        };
        let further = log.clone();
        let paused = Arc::new(AtomicBool::new(false));
        let waits = paused.clone();
        let reader = thread::spawn(move || {
            let mut line = String::new();
            while lines.read_line(&mut line).expect("text") > 0 {
                while waits.load(Ordering::Acquire) {
                    thread::sleep(Duration::from_millis(5));
                }
                further.lock().expect("not poisoned").push_str(&line);
                line.clear();
            }
        });
        Self {
            address: address("address"),
            management: address("management"),
            child,
            log,
            paused,
            reader: Some(reader),
        }
    }

    /// Returns everything that it has written to standard error.
    pub(crate) fn log(&self) -> String {
        self.log.lock().expect("not poisoned").clone()
    }

    pub(crate) fn get(&self, path: &str, headers: &[(&str, &str)]) -> RawResponse {
        get(&self.address, path, headers)
    }

    pub(crate) fn probe(&self, path: &str) -> RawResponse {
        get(&self.management, path, &[])
    }

    /// Waits until a response has a status, as it must within a second.
    pub(crate) fn soon(&self, path: &str, headers: &[(&str, &str)], status: u16) {
        let began = Instant::now();
        loop {
            let response = self.get(path, headers);
            if response.status == status {
                return;
            }
            assert!(
                began.elapsed() < SEEN_WITHIN,
                "{path} is still {}: {}",
                response.status,
                response.body
            );
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Pauses the reading of its log until the returned guard is dropped, except a line that was already read.
    pub(crate) fn stop_reading(&self) -> impl Drop + use<> {
        self.paused.store(true, Ordering::Release);
        Paused(self.paused.clone())
    }

    /// Waits until its log has a text.
    pub(crate) fn wait_for_log(&self, text: &str) {
        let began = Instant::now();
        while !self.log().contains(text) {
            assert!(began.elapsed() < TIMEOUT, "{text} is not in {}", self.log());
            thread::sleep(Duration::from_millis(20));
        }
    }

    pub(crate) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends it a signal, such as `TERM`.
    #[cfg(unix)]
    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args([&format!("-{name}"), &self.id().to_string()])
            .status();
        assert!(sent.expect("kill runs").success());
    }

    /// Terminates it as an operator does, and returns all of its log.
    #[cfg(unix)]
    pub(crate) fn terminate(self) -> (ExitStatus, String) {
        self.signal("TERM");
        self.ended()
    }

    /// Waits for its end, and returns all of its log.
    #[cfg(unix)]
    pub(crate) fn ended(mut self) -> (ExitStatus, String) {
        let ended = ended(&mut self.child);
        self.reader.take().expect("a reader").join().expect("it reads");
        (ended, self.log())
    }

    /// Kills it, as a crash would.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("kills");
        self.child.wait().expect("it ends");
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Guard of a log whose reading is paused.
struct Paused(Arc<AtomicBool>);

impl Drop for Paused {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

/// Creates the command of a service at free ports, with a log in JSON.
pub(crate) fn command(fixture: &Fixture, arguments: &[&str]) -> Command {
    let mut command = fixture.command(&["serve", "--listen", "127.0.0.1:0", "--set", "log.format=json"]);
    command.args(arguments);
    command
}

/// Wraps a command in a shell that runs something before.
#[cfg(unix)]
pub(crate) fn within_shell(command: &Command, before: &str) -> Command {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", &format!("{before}; exec \"$@\""), "sh"]);
    wrapped(shell, command)
}

/// Wraps a command in `env` with options.
#[cfg(unix)]
pub(crate) fn within_env(command: &Command, options: &[&str]) -> Command {
    let mut env = Command::new("env");
    env.args(options);
    wrapped(env, command)
}

/// Passes a command as the last argument of another one, with its environment.
#[cfg(unix)]
fn wrapped(mut wrapper: Command, command: &Command) -> Command {
    let set = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
    wrapper.envs(set).arg(command.get_program()).args(command.get_args());
    wrapper
}

/// Returns the last line and the exit status of a service that does not start.
pub(crate) fn refused(mut command: Command) -> (ExitStatus, String) {
    let mut child = command.stderr(Stdio::piped()).spawn().expect("the binary starts");
    let status = ended(&mut child);
    let mut message = String::new();
    let mut pipe = child.stderr.take().expect("piped");
    pipe.read_to_string(&mut message).expect("text");
    (status, message)
}

/// Waits for the end of a process, with a timeout.
pub(crate) fn ended(child: &mut Child) -> ExitStatus {
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("asks") {
            return status;
        }
        if began.elapsed() > TIMEOUT {
            let _ = child.kill();
            let _ = child.wait();
            panic!("it does not end");
        }
        thread::sleep(Duration::from_millis(10));
    }
}

/// Raw response.
pub(crate) struct RawResponse {
    pub(crate) status: u16,
    /// Status line and header fields.
    pub(crate) head: String,
    pub(crate) body: String,
}

impl RawResponse {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("JSON")
    }
}

pub(crate) fn get(address: &str, path: &str, headers: &[(&str, &str)]) -> RawResponse {
    try_ask("GET", address, path, headers).expect("a response")
}

/// Sends a request without a body. Fails if the service ends meanwhile.
pub(crate) fn try_ask(
    method: &str,
    address: &str,
    path: &str,
    headers: &[(&str, &str)],
) -> std::io::Result<RawResponse> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    let fields: String = headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}\r\n"))
        .collect();
    let request = format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n{fields}\r\n");
    stream.write_all(request.as_bytes())?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    let (head, body) = text.split_once("\r\n\r\n").ok_or(std::io::ErrorKind::UnexpectedEof)?;
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    Ok(RawResponse {
        status: status.expect("a status"),
        head: head.to_owned(),
        body: body.to_owned(),
    })
}
