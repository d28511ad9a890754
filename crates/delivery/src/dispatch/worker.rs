//! One destination: what is new and what is due goes out, and how it went is written down.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::Notify;
use wearlab_store::{Advance, DestinationId, PendingEvent, Progress, Reachability, StoreError};

use super::health::Health;
use super::held::Held;
use super::routes::Route;
use super::verdict::{Attempt, Patience, Verdict};
use super::{STORE_PAUSE, Sent, Shared, filter, shape};
use crate::{Destination, Message, Outcome, Reason};

/// How long a worker sleeps at most, whatever it knows.
const LONGEST_SLEEP: Duration = Duration::from_secs(60);

/// By how much the preferred kind of a team is ahead of its others, when something new comes.
const HEAD_START: Duration = Duration::from_millis(50);

pub(super) struct Worker {
    pub(super) shared: Arc<Shared>,
    pub(super) route: Route,
    pub(super) destination: Box<dyn Destination>,
    pub(super) held: Arc<Held>,
    pub(super) wake: Arc<Notify>,
}

/// What a step did.
enum Step {
    /// There was nothing to send.
    Idle,
    /// Something was sent, or dealt with.
    Busy,
    /// Nothing can be sent for a while.
    Down(Duration),
    /// The endpoint wants no more events.
    Gone,
    /// Another process may work for the destination by now.
    Over,
}

/// What goes on from one step to the next, as long as all arrives: while a batch is under way, the one before is written
/// down, and the next one is read.
#[derive(Default)]
struct Flow {
    /// Only where there is something ahead.
    unwritten: Option<Done>,
    ahead: Option<Vec<PendingEvent>>,
}

/// How it went with a batch.
struct Done {
    advance: Advance,
    sent: Sent,
    now: DateTime<Utc>,
}

impl Worker {
    pub(super) async fn run(self) {
        while let Err(error) = self.deliver_all().await {
            if matches!(error, StoreError::Superseded) {
                return;
            }
            let lane = &self.route.lane;
            tracing::error!(error = &error as &dyn std::error::Error, team_id = %lane.team_id, kind = lane.kind, "the store failed");
            tokio::time::sleep(STORE_PAUSE).await;
        }
    }

    /// Delivers until the endpoint is disabled.
    async fn deliver_all(&self) -> Result<(), StoreError> {
        let id = self.held.lease.destination;
        let (mut health, mut flow) = (Health::default(), Flow::default());
        loop {
            match self.step(id, &mut flow, &mut health).await? {
                Step::Busy => {}
                Step::Idle => self.sleep(id).await?,
                Step::Down(pause) => tokio::time::sleep(pause).await,
                Step::Gone => return self.disable().await,
                Step::Over => return Ok(()),
            }
        }
    }

    /// Sleeps until something is new, or due.
    async fn sleep(&self, id: DestinationId) -> Result<(), StoreError> {
        let due = self.shared.store.next_due(id).await?;
        let until_due = due.map_or(LONGEST_SLEEP, |due| {
            (due - (self.shared.now)()).to_std().unwrap_or_default()
        });
        // Never at once: where the window is full, what is due may not be sent yet.
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
        if !self.held.is_good() {
            return Ok(Step::Over);
        }
        let (due, new) = match flow.ahead.take() {
            Some(new) => (Vec::new(), new),
            None => self.read(id).await?,
        };
        if due.is_empty() && new.is_empty() {
            return Ok(Step::Idle);
        }
        let from_new = due.len();
        // Where a whole batch is new, there may be more.
        let last = new.last().map(|pending| pending.event.number);
        let last = last.filter(|_| due.is_empty() && new.len() >= self.destination.batch());
        let unwritten = flow.unwritten.take();
        let keeping = async {
            match unwritten {
                Some(done) => self.keep(done).await,
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
        // All of them to their ends: what was sent is written down, also where nothing can be read.
        let (judged, kept, ahead) = tokio::join!(sending, keeping, reading);
        let ((), ahead) = (kept?, ahead?);
        let Some(mut judged) = judged else {
            return Ok(Step::Over);
        };
        let is = |wanted: fn(&Outcome) -> bool| {
            let sent = judged.iter().filter_map(|(_, verdict)| match verdict {
                Verdict::Sent(outcome) => Some(outcome),
                _ => None,
            });
            sent.into_iter().find(|outcome| wanted(outcome)).cloned()
        };
        let gone = is(|outcome| *outcome == Outcome::Gone);
        let down = is(|outcome| matches!(outcome, Outcome::Down { .. }));
        let unavailable = is(|outcome| matches!(outcome, Outcome::Unavailable { .. }));
        let unavailable = unavailable.filter(|_| is(|outcome| *outcome == Outcome::Delivered).is_none());
        let responds = |outcome: &Outcome| {
            matches!(
                outcome,
                Outcome::Delivered | Outcome::Retry { .. } | Outcome::Refused { .. }
            )
        };
        let up = is(responds).is_some();
        let now = (self.shared.now)();
        let patience = Patience {
            settings: &self.shared.settings,
            by_schedule: self.route.endpoint.is_some(),
            now,
            random: self.shared.random,
        };
        let new = judged.split_off(from_new);
        let (mut advance, sent) = patience.advance(judged, new);
        advance.ordered = self.destination.ordered();
        let step = match (gone, down.or(unavailable)) {
            (Some(_), _) => Step::Gone,
            (None, Some(Outcome::Down { reason })) => {
                health.is_down(self, reason.clone());
                let pause = health.pause(self);
                advance.reachability = Some(Reachability::Down {
                    reason: reason.as_str().to_owned(),
                    next_attempt: now + TimeDelta::from_std(pause).unwrap_or(TimeDelta::MAX),
                });
                Step::Down(pause)
            }
            // Each event has a retry of its own.
            (None, Some(Outcome::Unavailable { reason, .. })) => {
                health.is_down(self, reason.clone());
                advance.reachability = Some(Reachability::Down {
                    reason: reason.as_str().to_owned(),
                    next_attempt: first_due(&advance).unwrap_or(now),
                });
                Step::Busy
            }
            // Where nothing was sent, nothing is known.
            _ => {
                advance.reachability = up.then(|| health.is_up(self)).flatten();
                Step::Busy
            }
        };
        // What was read ahead is good where nothing of the batch before it holds anything back.
        let flows = advance.results.is_empty() && last == Some(advance.cursor) && !ahead.is_empty();
        let done = Done { advance, sent, now };
        if flows {
            *flow = Flow {
                unwritten: Some(done),
                ahead: Some(ahead),
            };
        } else {
            self.keep(done).await?;
        }
        Ok(step)
    }

    /// What is due, and what is new.
    async fn read(&self, id: DestinationId) -> Result<(Vec<PendingEvent>, Vec<PendingEvent>), StoreError> {
        let (store, batch) = (&self.shared.store, self.destination.batch());
        let due = store.due_events(id, (self.shared.now)(), batch).await?;
        let new = match self.room(id).await? {
            0 => Vec::new(),
            room => store.fresh_events(id, room).await?,
        };
        Ok((due, new))
    }

    /// What is new after an event, unless something waits to be tried again.
    async fn read_ahead(&self, id: DestinationId, after: i64) -> Result<Vec<PendingEvent>, StoreError> {
        let (store, batch) = (&self.shared.store, self.destination.batch());
        match store.retried_events(id).await? {
            0 => store.fresh_events_after(id, after, batch).await,
            _ => Ok(Vec::new()),
        }
    }

    /// How many new events may be begun with.
    async fn room(&self, id: DestinationId) -> Result<usize, StoreError> {
        let batch = self.destination.batch();
        let waiting = usize::try_from(self.shared.store.retried_events(id).await?).unwrap_or(usize::MAX);
        Ok(match waiting {
            0 => batch,
            waiting => self.shared.settings.window.saturating_sub(waiting).min(batch),
        })
    }

    /// Writes down how it went with a batch.
    async fn keep(&self, done: Done) -> Result<(), StoreError> {
        let Done { advance, sent, now } = done;
        let (store, lease) = (&self.shared.store, self.held.lease);
        self.shared.notes.keep(store, lease, advance, now).await?;
        self.shared.observer.sent(&self.route.lane, sent);
        Ok(())
    }

    /// Sends what is wanted, and says what became of each event; nothing where the lease was over before.
    async fn send(&self, events: Vec<PendingEvent>) -> Option<Vec<(Attempt, Verdict)>> {
        let mut messages = Vec::with_capacity(events.len());
        let mut judged: Vec<_> = (events.into_iter())
            .map(|pending| {
                let attempt = Attempt::at(&pending);
                let verdict = match self.message(pending) {
                    Ok(message) => {
                        messages.push(message);
                        None
                    }
                    Err(verdict) => Some(verdict),
                };
                (attempt, verdict)
            })
            .collect();
        let outcomes = match messages.is_empty() {
            true => Vec::new(),
            false => self.held.within(self.destination.deliver(&messages)).await?,
        };
        let sent = judged.iter_mut().filter(|(_, verdict)| verdict.is_none());
        for ((_, verdict), outcome) in sent.zip(outcomes) {
            *verdict = Some(Verdict::Sent(outcome));
        }
        // A destination that answers less than it was asked has sent nothing of the rest.
        let down = || {
            Verdict::Sent(Outcome::Down {
                reason: Reason::new("no answer for the event"),
            })
        };
        let judged = judged.into_iter();
        let judged = judged.map(|(attempt, verdict)| (attempt, verdict.unwrap_or_else(down)));
        Some(judged.collect())
    }

    fn message(&self, pending: PendingEvent) -> Result<Message, Verdict> {
        let event = pending.event;
        if !filter::wants(&self.route, &event.event_type) {
            return Err(Verdict::Unwanted);
        }
        if pending.behind && self.destination.ordered() {
            return Err(Verdict::Behind);
        }
        let payload = shape::payload(&event.event_type, event.payload, self.route.pipeline());
        Ok(Message {
            event_id: event.event_id,
            event_type: event.event_type,
            team_id: event.team_id,
            user_id: Some(event.user_id),
            created_on: event.created_on.fixed_offset(),
            payload: payload.map_err(|_| Verdict::Unreadable)?,
        })
    }

    /// Disables the endpoint that wants no more events.
    async fn disable(&self) -> Result<(), StoreError> {
        let Some(id) = self.route.lane.webhook_id.clone() else {
            return Ok(());
        };
        let reason = "it answered that it is gone (410)";
        tracing::warn!(webhook_id = id, reason, "a webhook is disabled");
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

/// When the first of a batch is tried again.
fn first_due(advance: &Advance) -> Option<DateTime<Utc>> {
    let due = advance.results.iter().filter_map(|(_, progress)| match progress {
        Progress::Waiting { due, .. } => Some(*due),
        _ => None,
    });
    due.min()
}
