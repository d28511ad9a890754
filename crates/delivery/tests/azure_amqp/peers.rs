//! The peers: a namespace, a receiver by Microsoft's client, and blob storage. `.ci/azure_amqp` installs their
//! dependencies.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver as Channel, channel};
use std::time::{Duration, Instant};

use serde_json::Value;

const PEERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers");

/// Timeout of a peer's response, on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);

fn setting(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is set by .ci/azure_amqp"))
}

/// A process, stopped on drop.
struct Process {
    child: Child,
    stdin: ChildStdin,
}

impl Process {
    fn start(command: &mut Command) -> (Self, Lines<BufReader<ChildStdout>>) {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the peer starts");
        let stdin = child.stdin.take().expect("piped");
        let stdout = child.stdout.take().expect("piped");
        (Self { child, stdin }, BufReader::new(stdout).lines())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn node(script: &str) -> Command {
    let mut command = Command::new("node");
    command
        .arg(format!("{PEERS}/{script}"))
        .env("NODE_PATH", setting("AZURE_AMQP_NODE_MODULES"));
    command
}

/// A namespace with hubs.
pub(crate) struct EventHubs {
    process: Process,
    responses: Lines<BufReader<ChildStdout>>,
    pub(crate) port: u16,
    /// Port for logins with name and key, without tokens.
    login: u16,
}

impl EventHubs {
    pub(crate) fn start(hubs: &[&str]) -> Self {
        Self::with_limit(1024 * 1024, hubs)
    }

    /// A namespace with a maximum size of messages.
    pub(crate) fn with_limit(limit: usize, hubs: &[&str]) -> Self {
        let mut command = Command::new(setting("AZURE_AMQP_PYTHON"));
        command
            .arg(format!("{PEERS}/event_hubs.py"))
            .arg(limit.to_string())
            .args(hubs);
        let (process, mut responses) = Process::start(&mut command);
        let ports = responses.next().expect("a line").expect("text");
        let mut ports = ports
            .split(' ')
            .map(|port| port.parse().expect("the peer says its ports"));
        Self {
            process,
            responses,
            port: ports.next().expect("a port"),
            login: ports.next().expect("another port"),
        }
    }

    /// Sends a line, and reads a number.
    pub(crate) fn say(&mut self, command: &str) -> usize {
        writeln!(self.process.stdin, "{command}").expect("it listens");
        self.responses
            .next()
            .expect("a line")
            .expect("text")
            .parse()
            .expect("a number")
    }

    pub(crate) fn connection_string(&self) -> String {
        connection_string(self.port)
    }

    /// A connection string of receivers.
    fn receiving(port: u16) -> String {
        let policy = "SharedAccessKeyName=listen;SharedAccessKey=b3RoZXIta2V5";
        format!("Endpoint=sb://127.0.0.1:{port};{policy};UseDevelopmentEmulator=true")
    }

    /// A connection string of receivers of a hub, which log in with the key itself.
    pub(crate) fn listening(&self, hub: &str) -> String {
        format!("{};EntityPath={hub}", Self::receiving(self.login))
    }

    /// Receives the events of a hub, from its beginning.
    pub(crate) fn receive(&self, hub: &str) -> Receiver {
        let mut command = node("event_hubs_receiver.cjs");
        command.arg(Self::receiving(self.port)).arg(hub);
        let (process, lines) = Process::start(&mut command);
        let (sender, events) = channel();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let _ = sender.send(serde_json::from_str(&line).expect("JSON"));
            }
        });
        Receiver {
            _process: process,
            events,
        }
    }
}

/// A connection string with the key of the peer.
pub(crate) fn connection_string(port: u16) -> String {
    let policy = "SharedAccessKeyName=send;SharedAccessKey=c2VjcmV0LWtleQ==";
    format!("Endpoint=sb://127.0.0.1:{port};{policy};UseDevelopmentEmulator=true")
}

/// Microsoft's client, which receives from a hub.
pub(crate) struct Receiver {
    _process: Process,
    events: Channel<Value>,
}

impl Receiver {
    /// Receives a number of events, and no further ones.
    pub(crate) fn exactly(&self, count: usize) -> Vec<Value> {
        let events = self.until(|events| events.len() >= count);
        assert_eq!(events.len(), count, "no more come");
        events
    }

    /// Receives events with all of these ids, and further ones.
    pub(crate) fn all_of<'a>(&self, ids: impl Iterator<Item = &'a str>) -> Vec<Value> {
        let mut missing: HashSet<_> = ids.collect();
        self.until(|events| {
            if let Some(last) = events.last() {
                missing.remove(last["message_id"].as_str().expect("an id"));
            }
            missing.is_empty()
        })
    }

    /// Receives until there is enough, and then until nothing arrives for a while.
    fn until(&self, mut enough: impl FnMut(&[Value]) -> bool) -> Vec<Value> {
        let (mut events, until) = (Vec::new(), Instant::now() + TIMEOUT);
        while !enough(&events) {
            let left = until.saturating_duration_since(Instant::now());
            let event = self.events.recv_timeout(left);
            events.push(event.unwrap_or_else(|_| panic!("only {} came", events.len())));
        }
        while let Ok(event) = self.events.recv_timeout(Duration::from_millis(500)) {
            events.push(event);
        }
        events
    }
}

/// Blob storage.
pub(crate) struct Storage {
    _process: Process,
    pub(crate) connection_string: String,
}

impl Storage {
    pub(crate) fn start() -> Self {
        let mut command = Command::new("node");
        let script = format!("{}/azurite/dist/src/blob/main.js", setting("AZURE_AMQP_NODE_MODULES"));
        let options =
            "--blobHost 127.0.0.1 --blobPort 0 --inMemoryPersistence --disableTelemetry --skipApiVersionCheck";
        command.arg(script).args(options.split(' '));
        let (process, lines) = Process::start(&mut command);
        let mut lines = lines.map_while(Result::ok);
        let address = lines.find_map(|line| Some(line.split_once("listens on ")?.1.trim().to_owned()));
        let address = address.expect("it says its address");
        // It continues to print requests.
        std::thread::spawn(move || lines.for_each(drop));
        // The key that every emulator has.
        let key = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";
        let account = format!("DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey={key}");
        Self {
            _process: process,
            connection_string: format!("{account};BlobEndpoint={address}/devstoreaccount1;"),
        }
    }

    pub(crate) fn create(&self, container: &str) {
        self.run("create", container, "");
    }

    pub(crate) fn delete(&self, container: &str) {
        self.run("delete", container, "");
    }

    /// The blobs of a container whose names begin with a prefix.
    pub(crate) fn list(&self, container: &str, prefix: &str) -> Vec<Value> {
        let lines = self.run("list", container, prefix);
        lines
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect()
    }

    fn run(&self, command: &str, container: &str, prefix: &str) -> String {
        let output = node("blobs.cjs")
            .args([command, &self.connection_string, container, prefix])
            .output()
            .expect("it runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    }
}
