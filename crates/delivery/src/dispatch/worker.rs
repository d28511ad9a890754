//! One endpoint: what is new and what is due goes out, and how it went is written down.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use wearlab_models::Pipeline;
use wearlab_store::{DestinationId, PendingEvent, Progress, StoreError, WebhookEndpoint, Write};

use crate::webhook::{KIND, Signer, Webhook};
use crate::{Destination, Message, Outcome};

use super::{Shared, filter, shape};

/// How long to wait after the store failed.
const STORE_PAUSE: Duration = Duration::from_secs(2);

pub(super) struct Worker {
    shared: Arc<Shared>,
    endpoint: WebhookEndpoint,
}

/// What a step did.
enum Step {
    /// There was nothing to send.
    Idle,
    /// Something was sent, or dealt with.
    Busy,
    /// The endpoint can have no more events, for a reason.
    Over(String),
}

impl Worker {
    pub(super) fn new(shared: Arc<Shared>, endpoint: WebhookEndpoint) -> Self {
        Self { shared, endpoint }
    }

    pub(super) async fn run(self) {
        let webhook_id = self.endpoint.webhook_id.as_str();
        loop {
            let outcome = self.deliver_all().await;
            match outcome {
                Ok(()) => return,
                Err(error) => {
                    tracing::error!(error = &error as &dyn std::error::Error, webhook_id, "the store failed");
                    tokio::time::sleep(STORE_PAUSE).await;
                }
            }
        }
    }

    /// Delivers until the endpoint is disabled.
    async fn deliver_all(&self) -> Result<(), StoreError> {
        let (team_id, id) = (self.endpoint.team_id, self.endpoint.webhook_id.clone());
        let destination = self
            .write(move |write| {
                let team = write.team(team_id)?.ok_or(StoreError::Missing { what: "team" })?;
                write.destination(team, KIND, Some(&id))
            })
            .await?;
        loop {
            match self.step(destination).await? {
                Step::Busy => {}
                Step::Idle => tokio::time::sleep(self.shared.settings.poll).await,
                Step::Over(reason) => return self.disable(reason).await,
            }
        }
    }

    /// The endpoint as a destination, or why it can be none.
    fn webhook(&self) -> Result<Webhook, String> {
        let now = (self.shared.now)();
        let good = self
            .endpoint
            .secrets
            .iter()
            .filter(|secret| secret.until.is_none_or(|until| now < until));
        let mut signer: Option<Signer> = None;
        for secret in good {
            let secret = secret.secret.expose().parse();
            let secret = secret.map_err(|_| "its secret is none of Standard Webhooks".to_owned())?;
            signer = Some(match signer {
                Some(signer) => signer.and(secret),
                None => Signer::new(secret),
            });
        }
        let signer = signer.ok_or("it has no secret")?;
        Webhook::new(&self.shared.sender, &self.endpoint.url, signer).map_err(|error| error.to_string())
    }

    async fn step(&self, destination: DestinationId) -> Result<Step, StoreError> {
        let (store, settings) = (&self.shared.store, &self.shared.settings);
        let now = (self.shared.now)();
        let mut events = store.due_events(destination, now, settings.batch).await?;
        let waiting = usize::try_from(store.retried_events(destination).await?).unwrap_or(usize::MAX);
        let room = settings.window.saturating_sub(waiting).min(settings.batch);
        let fresh = match room {
            0 => Vec::new(),
            room => store.fresh_events(destination, room).await?,
        };
        let cursor = fresh.last().map_or(0, |last| last.event.number);
        events.extend(fresh);
        if events.is_empty() {
            return Ok(Step::Idle);
        }
        // Anew for each batch: secrets run out.
        let webhook = match self.webhook() {
            Ok(webhook) => webhook,
            Err(reason) => return Ok(Step::Over(reason)),
        };
        let pipeline = store.pipeline(self.endpoint.team_id).await?;
        let (results, gone) = self.send(&webhook, &events, pipeline.as_ref()).await;
        self.write(move |write| write.progress(destination, &results, cursor))
            .await?;
        Ok(match gone {
            true => Step::Over("it answered that it is gone (410)".to_owned()),
            false => Step::Busy,
        })
    }

    /// Sends what is wanted, and says how it went with each event, and whether the endpoint is gone.
    async fn send(
        &self,
        webhook: &Webhook,
        events: &[PendingEvent],
        pipeline: Option<&Pipeline>,
    ) -> (Vec<(i64, Progress)>, bool) {
        let mut results = Vec::with_capacity(events.len());
        let (mut sent, mut messages) = (Vec::new(), Vec::new());
        for pending in events {
            let event = &pending.event;
            if !filter::wants(&self.endpoint, pipeline, &event.event_type) {
                results.push((event.number, Progress::Done));
                continue;
            }
            match shape::payload(event, pipeline) {
                Ok(payload) => {
                    sent.push(pending);
                    messages.push(Message {
                        event_id: event.event_id.clone(),
                        event_type: event.event_type.clone(),
                        team_id: event.team_id,
                        user_id: Some(event.user_id),
                        created_on: event.created_on.fixed_offset(),
                        payload,
                    });
                }
                Err(_) => results.push((event.number, parked(pending.attempts, "the event cannot be read"))),
            }
        }
        let outcomes = webhook.deliver(&messages).await;
        let now = (self.shared.now)();
        let gone = outcomes.contains(&Outcome::Gone);
        let progress = sent
            .iter()
            .zip(outcomes)
            .map(|(pending, outcome)| (pending.event.number, self.progress(pending, outcome, now)));
        results.extend(progress);
        (results, gone)
    }

    fn progress(&self, pending: &PendingEvent, outcome: Outcome, now: DateTime<Utc>) -> Progress {
        let attempts = pending.attempts + 1;
        match outcome {
            Outcome::Delivered => Progress::Done,
            Outcome::Refused { reason } => parked(attempts, reason.as_str()),
            Outcome::Retry { reason, not_before } => {
                let Some(wait) = (self.shared.settings.schedule)(attempts, (self.shared.random)()) else {
                    return parked(attempts, reason.as_str());
                };
                let due = now + TimeDelta::from_std(wait).unwrap_or(TimeDelta::MAX);
                Progress::Waiting {
                    attempts,
                    due: not_before.map_or(due, |not_before| due.max(not_before)),
                    reason: reason.as_str().to_owned(),
                }
            }
            // Neither is an attempt.
            Outcome::Deferred { not_before } => Progress::Waiting {
                attempts: pending.attempts,
                due: not_before,
                reason: "the endpoint asked for a pause".to_owned(),
            },
            Outcome::Gone => Progress::Waiting {
                attempts: pending.attempts,
                due: now,
                reason: "the endpoint is gone".to_owned(),
            },
        }
    }

    async fn disable(&self, reason: String) -> Result<(), StoreError> {
        let id = self.endpoint.webhook_id.clone();
        tracing::warn!(webhook_id = id, reason, "a webhook is disabled");
        self.write(move |write| {
            let Some(mut endpoint) = write.webhook(&id)? else {
                return Ok(());
            };
            endpoint.disabled = Some(reason);
            write.put_webhook(&endpoint)
        })
        .await
    }

    /// Writes on a thread that may wait for the disk.
    async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Write<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let store = self.shared.store.clone();
        let runtime = tokio::runtime::Handle::current();
        let written = tokio::task::spawn_blocking(move || runtime.block_on(store.write(work)));
        written.await.map_err(|error| StoreError::Engine(error.into()))?
    }
}

fn parked(attempts: u32, reason: &str) -> Progress {
    Progress::Parked {
        attempts,
        reason: reason.to_owned(),
    }
}
