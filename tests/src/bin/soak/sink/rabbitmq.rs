//! RabbitMQ broker on loopback, which can be killed, stopped or blocked.

mod queue;

use std::path::Path;
use std::process::Child;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use self::queue::{EXCHANGE, Notes};
use crate::sink::{Received, Sink, webhook};
use wearlab_tests::process::Server;
use wearlab_tests::process::Wearlab;

/// Script that starts and kills a broker.
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../.ci/rabbitmq-broker");
/// Default memory limit at which the broker blocks publishers, in the units of its tool.
const MEMORY: &str = "0.4";
const FAULTS: [&str; 4] = [
    "is killed",
    "blocks publishers",
    "has no queue for anything",
    "is stopped",
];
/// Time limit without messages after a broker is back, under load. The service retries a broker that was away for a
/// minute within another minute.
const RECOVERY_TIMEOUT: Duration = Duration::from_secs(180);

/// The broker, with a consumer.
pub(crate) struct Broker {
    server: Server,
    uri: String,
    runtime: Runtime,
    notes: Arc<Notes>,
    running: Running,
    fault: Option<usize>,
}

enum Running {
    Up,
    Starting(Child),
    Ended,
}

impl Broker {
    /// Starts a broker with its data in a directory, declares an exchange and a queue for all its messages, and
    /// consumes them.
    pub(crate) fn new(directory: &Path) -> Result<Self> {
        let mut broker = Self {
            server: Server::new(SCRIPT, directory),
            uri: String::new(),
            runtime: tokio::runtime::Builder::new_multi_thread()
                .worker_threads(1)
                .enable_all()
                .build()?,
            notes: Arc::default(),
            running: Running::Ended,
            fault: None,
        };
        broker.start()?;
        broker.await_start()?;
        broker.uri = broker.server.file("uri")?;
        broker.runtime.block_on(queue::declare(&broker.uri))?;
        let (uri, notes) = (broker.uri.clone(), Arc::clone(&broker.notes));
        broker.runtime.spawn(async move { queue::consume(&uri, &notes).await });
        Ok(broker)
    }

    /// Starts the broker, which takes seconds. The service may start meanwhile.
    fn start(&mut self) -> Result<()> {
        self.running = Running::Starting(self.server.begins("start")?);
        Ok(())
    }

    fn end(&mut self, how: &str) -> Result<()> {
        self.running = Running::Ended;
        self.server.does(how, &[]).map(drop)
    }

    fn memory(&self, most: &str) -> Result<()> {
        let set = self.server.does("ctl", &["set_vm_memory_high_watermark", most]);
        set.map(drop)
    }

    /// Waits until a starting broker accepts connections.
    fn await_start(&mut self) -> Result<()> {
        if let Running::Starting(starting) = &mut self.running {
            let status = starting.wait()?;
            ensure!(status.success(), "the broker does not start: {status}");
            self.running = Running::Up;
        }
        Ok(())
    }
}

impl Sink for Broker {
    fn settings(&self) -> Vec<String> {
        // For the webhook receivers of other tests.
        webhook::settings()
    }

    fn pipeline(&self) -> Value {
        json!({
            "preferences": {"preferred": "rabbitmq", "enabled": ["rabbitmq", "svix"]},
            "rabbitmq": {"uri": self.uri, "exchange": EXCHANGE},
            "svix": {"regional": false},
        })
    }

    fn elsewhere(&self) -> Value {
        // This destination has no endpoints.
        json!({"preferences": {"preferred": "svix", "enabled": ["svix"]}, "svix": {"regional": false}})
    }

    fn connect(&mut self, _: &Wearlab, _: usize) -> Result<()> {
        Ok(())
    }

    fn ordered(&self) -> bool {
        true
    }

    fn faults(&self) -> &'static [&'static str] {
        &FAULTS
    }

    fn rest(&self) -> u32 {
        0
    }

    fn fail(&mut self, fault: usize) -> Result<()> {
        self.await_start()?;
        self.fault = Some(fault);
        match fault {
            0 => self.end("kill"),
            1 => self.memory("0"),
            2 => self.runtime.block_on(queue::unbind(&self.uri)),
            _ => self.end("stop"),
        }
    }

    fn heal(&mut self) -> Result<()> {
        match self.fault.take() {
            None => Ok(()),
            Some(1) => self.memory(MEMORY),
            Some(2) => self.runtime.block_on(queue::bind(&self.uri)),
            Some(_) => self.start(),
        }
    }

    fn back(&mut self) -> Result<()> {
        self.await_start()?;
        let (before, up) = (self.notes.lock().count, Instant::now());
        while self.notes.lock().count == before {
            ensure!(
                up.elapsed() < RECOVERY_TIMEOUT,
                "the broker is back, and nothing was received for {RECOVERY_TIMEOUT:?}"
            );
            sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    fn take(&mut self) -> Result<Vec<Received>> {
        let mut notes = self.notes.lock();
        if !notes.offences.is_empty() {
            bail!("at the queue: {}", notes.offences.join("; "));
        }
        Ok(std::mem::take(&mut notes.received))
    }

    /// Checks that the broker has no messages left.
    fn finish(&mut self) -> Result<()> {
        let mut left = String::new();
        for _ in 0..10 {
            left = self
                .server
                .does("ctl", &["list_queues", "--no-table-headers", "messages"])?;
            if left.trim() == "0" {
                let notes = self.notes.lock();
                println!(
                    "the queue is empty: {} messages came out of it, {} of them twice, since the broker was killed before \
                     it knew that we have them",
                    notes.count, notes.redelivered
                );
                return Ok(());
            }
            sleep(Duration::from_millis(500));
        }
        bail!("{} messages are left in the queue", left.trim())
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        if let Running::Starting(starting) = &mut self.running {
            // The start must end before the broker can be killed.
            let _ = starting.wait();
        }
    }
}
