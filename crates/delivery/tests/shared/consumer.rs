//! Processes of an example of a consumer, and a dispatcher with events for it.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use chrono::Utc;
use serde::Serialize;
use serde_json::json;
use tempfile::TempDir;
use tokio::sync::oneshot;
use wearlab_delivery::webhook;
use wearlab_delivery::{DispatchSettings, Dispatcher, Kinds, Message};
use wearlab_models::Uuid;

use super::events;

/// A value that no line may show.
const HEALTH: &str = "hba1c-7031";

/// Timeout of a line, on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Time for unexpected lines.
const MOMENT: Duration = Duration::from_millis(500);

/// Processes of the example, stopped on drop.
pub(crate) struct Consumers {
    processes: Vec<Child>,
    lines: Receiver<String>,
}

impl Consumers {
    /// Starts the example, which a script has built, once with each of these variables.
    pub(crate) fn start(each: &[&[(&str, &str)]]) -> Self {
        let (send, lines) = channel();
        let processes = each.iter().map(|variables| start(variables, send.clone()));
        Self {
            processes: processes.collect(),
            lines,
        }
    }

    /// Asserts that they print a line for each of these messages, and no other.
    pub(crate) fn print(&self, messages: &[Message]) {
        let (mut lines, until) = (Vec::new(), Instant::now() + TIMEOUT);
        while lines.len() < messages.len() {
            let left = until.saturating_duration_since(Instant::now());
            let Ok(line) = self.lines.recv_timeout(left) else {
                break;
            };
            lines.push(line);
        }
        std::thread::sleep(MOMENT);
        lines.extend(self.lines.try_iter());
        lines.sort();
        let mut expected: Vec<_> = messages.iter().map(line).collect();
        expected.sort();
        assert_eq!(lines, expected);
    }
}

fn start(variables: &[(&str, &str)], send: Sender<String>) -> Child {
    let program = std::env::var("CONSUMER").expect("CONSUMER is set by the script that builds the example");
    let mut process = Command::new(program)
        .envs(variables.iter().copied())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the example starts");
    let stdout = BufReader::new(process.stdout.take().expect("piped"));
    std::thread::spawn(move || {
        for line in stdout.lines().map_while(Result::ok) {
            let _ = send.send(line);
        }
    });
    process
}

/// Line of a message: deprecated types become current ones.
fn line(message: &Message) -> String {
    let event_type = message.event_type.replace("timeseries.hypnogram", "data.sleep_cycle");
    format!("{event_type} {}", message.event_id)
}

impl Drop for Consumers {
    fn drop(&mut self) {
        for process in &mut self.processes {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// An event of an unknown type, with a value that no line may show.
pub(crate) fn unknown() -> Message {
    let event_type = "lab.result.created".to_owned();
    let payload = json!({"event_type": event_type, "data": {"value": HEALTH}});
    Message {
        event_id: format!("evt-{}", Uuid::now_v7()),
        event_type,
        team_id: events::team(),
        user_id: None,
        created_on: Utc::now().fixed_offset(),
        payload: payload.to_string().into(),
    }
}

/// A dispatcher that sends the events of a store, stopped on drop.
pub(crate) struct Dispatched {
    /// An event of every type, of each of two users.
    pub(crate) messages: Vec<Message>,
    _directory: TempDir,
    _stop: oneshot::Sender<()>,
}

impl Dispatched {
    /// Sends to a pipeline of a kind, with its block.
    pub(crate) async fn to(kind: &str, block: &impl Serialize, set: impl FnOnce(&mut Kinds)) -> Self {
        let pipeline = json!({"pipeline": {
            "team_id": events::team(), "preferences": {"preferred": kind, "enabled": [kind]}, kind: block,
            "push_historical_data": true, "provider_raw_data": false, "event_type_prefixes": [],
        }});
        let (directory, store) = events::store(Some(pipeline)).await;
        let messages = events::messages(&store).await;
        let mut kinds = Kinds::new(webhook::Sender::new(webhook::Settings::default(), Utc::now).expect("a sender"));
        set(&mut kinds);
        let dispatcher = Dispatcher::new(
            store,
            Uuid::now_v7(),
            kinds,
            DispatchSettings::default(),
            Arc::new(()),
            Utc::now,
            || 0.5,
        );
        let (stop, stopped) = oneshot::channel::<()>();
        tokio::spawn(dispatcher.run(async move {
            let _ = stopped.await;
        }));
        Self {
            messages,
            _directory: directory,
            _stop: stop,
        }
    }
}
