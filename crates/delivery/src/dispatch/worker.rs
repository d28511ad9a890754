//! The worker of one destination: sends new and due events, and saves the progress.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::Notify;
use wearlab_store::{Advance, DestinationId, PendingEvent, Progress, StoreError};

use super::attempt::RetryPolicy;
use super::condition::Condition;
use super::health::Health;
use super::lease::LeaseGuard;
use super::observer::Sent;
use super::routes::Route;
use super::shared::{STORE_PAUSE, Shared};
use crate::Destination;

/// Maximum sleep of a worker.
const LONGEST_SLEEP: Duration = Duration::from_secs(60);

/// Head start of the preferred kind of a team.
const HEAD_START: Duration = Duration::from_millis(50);

pub(super) struct Worker {
    pub(super) shared: Arc<Shared>,
    pub(super) route: Route,
    pub(super) destination: Box<dyn Destination>,
    pub(super) lease: Arc<LeaseGuard>,
    pub(super) wake: Arc<Notify>,
}

/// The result of a step.
enum Step {
    /// No event was due.
    Idle,
    /// Events were sent, or are completed.
    Busy,
    /// The destination is down: wait.
    Down(Duration),
    /// The endpoint responded 410.
    Gone,
    /// The lease was lost.
    LeaseLost,
}

/// The pipeline of batches, as long as all are delivered: while one is sent, the progress of the one before is saved,
/// and the next one is read.
#[derive(Default)]
struct Flow {
    /// Set only if there is a batch ahead.
    unsaved: Option<Done>,
    ahead: Option<Vec<PendingEvent>>,
}

/// The progress of a batch.
struct Done {
    advance: Advance,
    sent: Sent,
    now: DateTime<Utc>,
}

impl Worker {
    pub(super) async fn run(self) {
        self.shared.progress.settled().await;
        while let Err(error) = self.deliver_all().await {
            if matches!(error, StoreError::Superseded) {
                return;
            }
            let key = &self.route.key;
            tracing::error!(error = &error as &dyn std::error::Error, team_id = %key.team_id, kind = key.kind, "store failed");
            if error.ends_writes() {
                // Nothing can be recorded: sent events would be sent again and again.
                return std::future::pending().await;
            }
            tokio::time::sleep(STORE_PAUSE).await;
        }
    }

    /// Delivers until the endpoint is disabled or the lease is lost.
    async fn deliver_all(&self) -> Result<(), StoreError> {
        let id = self.lease.lease.destination;
        let (mut health, mut flow) = (Health::default(), Flow::default());
        loop {
            match self.step(id, &mut flow, &mut health).await? {
                Step::Busy => {}
                Step::Idle => self.sleep(id).await?,
                Step::Down(pause) => tokio::time::sleep(pause).await,
                Step::Gone => return self.disable().await,
                Step::LeaseLost => return Ok(()),
            }
        }
    }

    /// Sleeps until an event is new or due.
    async fn sleep(&self, id: DestinationId) -> Result<(), StoreError> {
        let due = self.shared.store.next_due(id).await?;
        let until_due = due.map_or(LONGEST_SLEEP, |due| {
            (due - (self.shared.now)()).to_std().unwrap_or_default()
        });
        // Never zero: if the window is full, due events may not be sent yet.
        let nap = until_due.clamp(self.shared.settings.poll, LONGEST_SLEEP);
        tokio::select! {
            () = self.wake.notified() => {
                if !self.route.preferred {
                    tokio::time::sleep(HEAD_START).await;
                }
            }
            () = tokio::time::sleep(nap) => {}
        }
        Ok(())
    }

    async fn step(&self, id: DestinationId, flow: &mut Flow, health: &mut Health) -> Result<Step, StoreError> {
        if !self.lease.is_active() {
            return Ok(Step::LeaseLost);
        }
        let (due, new) = match flow.ahead.take() {
            Some(new) => (Vec::new(), new),
            None => self.read(id).await?,
        };
        if due.is_empty() && new.is_empty() {
            return Ok(Step::Idle);
        }
        let from_new = due.len();
        // After a full batch of new events, there may be more.
        let last = new.last().map(|pending| pending.event.number);
        let last = last.filter(|_| due.is_empty() && new.len() >= self.destination.batch());
        let unsaved = flow.unsaved.take();
        let saving = async {
            match unsaved {
                Some(done) => self.save(done).await,
                None => Ok(()),
            }
        };
        let reading = async {
            match last {
                Some(last) => self.read_ahead(id, last).await,
                None => Ok(Vec::new()),
            }
        };
        let sending = self.send(due.into_iter().chain(new).collect());
        // All to completion: the progress of sent events is saved, even if reading fails.
        let (judged, saved, ahead) = tokio::join!(sending, saving, reading);
        let ((), ahead) = (saved?, ahead?);
        let Some(mut judged) = judged else {
            return Ok(Step::LeaseLost);
        };
        let condition = Condition::of(&judged);
        let now = (self.shared.now)();
        let policy = RetryPolicy {
            settings: &self.shared.settings,
            is_webhook: self.route.endpoint.is_some(),
            now,
            random: self.shared.random,
        };
        let new = judged.split_off(from_new);
        let (mut advance, sent) = policy.advance(judged, new);
        advance.ordered = self.destination.ordered();
        let (shared, key) = (&self.shared, &self.route.key);
        let step = match condition {
            Condition::Gone => Step::Gone,
            Condition::Down(reason) => {
                let pause = health.next_backoff(shared);
                let next_attempt = now + TimeDelta::from_std(pause).unwrap_or(TimeDelta::MAX);
                advance.reachability = Some(health.set_down(shared, key, reason, next_attempt));
                Step::Down(pause)
            }
            Condition::Unavailable(reason) => {
                let next_attempt = first_due(&advance).unwrap_or(now);
                advance.reachability = Some(health.set_down(shared, key, reason, next_attempt));
                Step::Busy
            }
            Condition::Up => {
                advance.reachability = health.set_up(shared, key);
                Step::Busy
            }
            Condition::Unknown => Step::Busy,
        };
        // The batch read ahead is valid if nothing of the batch before it is retried.
        let flows = advance.results.is_empty() && last == Some(advance.cursor) && !ahead.is_empty();
        let done = Done { advance, sent, now };
        if flows {
            *flow = Flow {
                unsaved: Some(done),
                ahead: Some(ahead),
            };
        } else {
            self.save(done).await?;
        }
        Ok(step)
    }

    /// Reads due events and new ones.
    async fn read(&self, id: DestinationId) -> Result<(Vec<PendingEvent>, Vec<PendingEvent>), StoreError> {
        let (store, batch) = (&self.shared.store, self.destination.batch());
        let waiting = usize::try_from(store.retried_events(id).await?).unwrap_or(usize::MAX);
        if waiting == 0 {
            return Ok((Vec::new(), store.fresh_events(id, batch).await?));
        }
        let due = store.due_events(id, (self.shared.now)(), batch).await?;
        let new = match self.shared.settings.window.saturating_sub(waiting).min(batch) {
            0 => Vec::new(),
            room => store.fresh_events(id, room).await?,
        };
        Ok((due, new))
    }

    /// Reads new events after one, unless any is to be retried.
    async fn read_ahead(&self, id: DestinationId, after: i64) -> Result<Vec<PendingEvent>, StoreError> {
        let (store, batch) = (&self.shared.store, self.destination.batch());
        match store.retried_events(id).await? {
            0 => store.fresh_events_after(id, after, batch).await,
            _ => Ok(Vec::new()),
        }
    }

    /// Saves the progress of a batch.
    async fn save(&self, done: Done) -> Result<(), StoreError> {
        let Done { advance, sent, now } = done;
        let (store, lease) = (&self.shared.store, self.lease.lease);
        self.shared.progress.save(store, lease, advance, now).await?;
        self.shared.observer.sent(&self.route.key, sent);
        Ok(())
    }

    /// Disables the endpoint.
    async fn disable(&self) -> Result<(), StoreError> {
        let Some(id) = self.route.key.webhook_id.clone() else {
            return Ok(());
        };
        let reason = "the endpoint responded 410 Gone";
        tracing::warn!(webhook_id = id, reason, "webhook disabled");
        self.shared
            .write(move |write| {
                let Some(mut endpoint) = write.webhook(&id)? else {
                    return Ok(());
                };
                endpoint.disabled = Some(reason.to_owned());
                write.put_webhook(&endpoint)
            })
            .await
    }
}

/// Returns the time of the first retry of a batch.
fn first_due(advance: &Advance) -> Option<DateTime<Utc>> {
    let due = advance.results.iter().filter_map(|(_, progress)| match progress {
        Progress::Waiting { due, .. } => Some(*due),
        _ => None,
    });
    due.min()
}
