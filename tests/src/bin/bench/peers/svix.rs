//! Svix server, at a given address: no registry has it.

use std::thread;

use anyhow::{Context, Result, anyhow};
use futures_util::{StreamExt, TryStreamExt, stream};
use reqwest::{Client, Response};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use uuid::Uuid;

use super::by_address;
use crate::delivery::{Backlog, IN_FLIGHT, Receiver, Sink, speed};
use crate::environment::Environment;
use crate::measure::alternate_cold;
use crate::results::{Comparison, Target};

/// Number of webhooks in a round.
const WEBHOOKS: u32 = 2_000;

/// Application of the server, whose only endpoint is the receiver.
struct Application {
    client: Client,
    runtime: Runtime,
    /// URL of the application.
    url: String,
    token: String,
}

pub(super) fn run(environment: &Environment) -> Result<Vec<Comparison>> {
    let [server, token] = by_address(["SVIX_SERVER", "SVIX_TOKEN"])?;
    let count = environment.scale.of(WEBHOOKS).max(100);
    let receiver = Receiver::new()?;
    let mut backlog = Backlog::new(environment, environment.scale.users[0], &receiver)?;
    // The warm-up round, which records the messages of the server.
    receiver.keep();
    backlog.goes_out(&receiver, count)?;
    let events = receiver.events();
    let events: Vec<_> = events
        .iter()
        .map(|(_, body)| std::str::from_utf8(body))
        .collect::<Result<_, _>>()?;
    let length = receiver.length();
    let application = Application::new(&server, token, &receiver)?;
    // Signatures are verified here, but not in the measured rounds of either.
    receiver.keep();
    application.delivers(&events, &receiver)?;
    let rounds = alternate_cold(
        environment.scale.rounds,
        || backlog.goes_out(&receiver, count),
        || application.delivers(&events, &receiver),
    );
    application.delete()?;
    Ok(vec![Comparison {
        what: format!("deliver {count} events of about {length} bytes from the log as signed webhooks"),
        reference: format!(
            "a Svix server, whose messages are made meanwhile, {IN_FLIGHT} at once: it keeps no backlog"
        ),
        unit: "events/s".into(),
        target: Target::None,
        rounds: rounds?,
    }])
}

impl Application {
    fn new(server: &str, token: String, receiver: &Receiver) -> Result<Self> {
        let id = format!("bench-{}", Uuid::now_v7());
        let application = Self {
            client: Client::builder().no_proxy().build()?,
            runtime: tokio::runtime::Builder::new_multi_thread()
                .worker_threads(1)
                .enable_all()
                .build()?,
            url: format!("{}/api/v1/app/{id}", server.trim_end_matches('/')),
            token,
        };
        let endpoint = json!({"url": receiver.url()?, "secret": receiver.secret()?.expose()});
        application.runtime.block_on(async {
            let (all, _) = application.url.rsplit_once('/').context("no URL")?;
            application
                .post(&format!("{all}/"), &json!({"name": id, "uid": id}))
                .await?;
            application
                .post(&format!("{}/endpoint/", application.url), &endpoint)
                .await
        })?;
        Ok(application)
    }

    /// Creates a message of each event, and returns the webhooks in a second.
    fn delivers(&self, events: &[&str], receiver: &Receiver) -> Result<f64> {
        thread::scope(|scope| {
            let making = scope.spawn(|| self.runtime.block_on(self.make(events)));
            let speed = speed(receiver, None, events.len().try_into()?);
            making.join().map_err(|_| anyhow!("what makes messages panicked"))??;
            speed
        })
    }

    async fn make(&self, events: &[&str]) -> Result<()> {
        let url = format!("{}/msg/?with_content=false", self.url);
        let make = async |event: &&str| {
            let payload: &RawValue = serde_json::from_str(event)?;
            let event: Value = serde_json::from_str(event)?;
            self.post(
                &url,
                &Message {
                    event_type: event["event_type"].as_str().unwrap_or_default(),
                    payload,
                },
            )
            .await
        };
        let made = stream::iter(events).map(make).buffer_unordered(IN_FLIGHT);
        made.try_collect::<()>().await
    }

    fn delete(&self) -> Result<()> {
        let deleting = self
            .client
            .delete(format!("{}/", self.url))
            .bearer_auth(&self.token)
            .send();
        self.runtime.block_on(deleting)?.error_for_status()?;
        Ok(())
    }

    async fn post(&self, url: &str, body: &impl serde::Serialize) -> Result<()> {
        let response: Response = self.client.post(url).bearer_auth(&self.token).json(body).send().await?;
        response.error_for_status()?.bytes().await?;
        Ok(())
    }
}

/// Body of a request that creates a message.
#[derive(serde::Serialize)]
#[serde(rename_all = "camelCase")]
struct Message<'a> {
    event_type: &'a str,
    payload: &'a RawValue,
}
