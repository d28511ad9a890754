//! Random delivery progress, replays and retention.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use uuid::Uuid;
use wearlab_store::{
    Advance, AttemptOutcome, DeliveryAttempt, DestinationId, DestinationStatus, EventRetention, PendingEvent, Progress,
    ReplayFilter, ReplayPosition, ReplayRead, ReplayTarget, StoreError, Transaction, UndeliveredFilter,
};

use super::Counts;
use super::pair::{Pair, Side};
use super::records::team;
use super::texts::{one_of, text};
use super::work::{WEBHOOKS, known};
use crate::server::wait;

/// A destination, independent of the engine.
#[derive(Clone, Debug)]
struct Place {
    team: Uuid,
    kind: &'static str,
    webhook: Option<&'static str>,
}

impl Place {
    fn draw(rng: &mut ChaCha8Rng) -> Self {
        let team = team(rng);
        let kind = one_of(rng, &["rabbitmq", "cloud_pubsub", "azure_amqp", "webhook"]);
        let webhook = (kind == "webhook").then(|| one_of(rng, &WEBHOOKS));
        Self { team, kind, webhook }
    }

    fn find(&self, write: &mut Transaction<'_>) -> Result<DestinationId, StoreError> {
        let team = known(write, self.team)?;
        write.destination(team, self.kind, self.webhook)
    }
}

pub(super) fn work(pair: &mut Pair, rng: &mut ChaCha8Rng, now: DateTime<Utc>, in_order: bool, counts: &mut Counts) {
    let (kind, outcome) = match rng.random_range(0..10) {
        0..5 => ("advance", advance(pair, rng, now)),
        5 | 6 => ("replay", replay(pair, rng, now)),
        7 => ("replay_all", replay_all(pair, rng, now)),
        8 => ("prune", prune(pair, rng, now, in_order)),
        _ => ("states", "compared".to_owned()),
    };
    *counts.entry(format!("{kind} {outcome}")).or_default() += 1;
    compare(pair, rng, now);
}

fn word(outcome: Result<usize, String>) -> String {
    match outcome {
        Ok(0) => "none".to_owned(),
        Ok(_) => "some".to_owned(),
        Err(error) => error,
    }
}

fn advance(pair: &mut Pair, rng: &mut ChaCha8Rng, now: DateTime<Utc>) -> String {
    if pair.events.is_empty() {
        return "nothing".to_owned();
    }
    let place = Place::draw(rng);
    // Mostly recent events.
    let from = pair.events.len().saturating_sub(rng.random_range(1..40));
    let event = |rng: &mut ChaCha8Rng| one_of(rng, &pair.events[from..]);
    let results: Vec<_> = (0..rng.random_range(0..8))
        .map(|_| (event(rng), progress(rng, now)))
        .collect();
    let cursor = (rng.random_range(0..3) > 0).then(|| event(rng));
    let ordered = rng.random_range(0..3) > 0;
    let attempts: Vec<_> = (0..rng.random_range(0..2))
        .map(|_| (event(rng), attempt(rng, now)))
        .collect();
    let written = pair.write(|write, side| {
        let numbered = attempts.iter();
        let numbered = numbered.map(|(id, attempt)| (side.number(Some(id)), attempt.clone()));
        let advance = Advance {
            attempts: numbered.collect(),
            results: results
                .iter()
                .map(|(id, progress)| (side.number(Some(id)), progress.clone()))
                .collect(),
            cursor: side.number(cursor.as_ref()),
            ordered,
            ..Advance::default()
        };
        let destination = place.find(write)?;
        write.advance(destination, &advance, now)
    });
    match written {
        Ok(()) => "done".to_owned(),
        Err(error) => error,
    }
}

fn attempt(rng: &mut ChaCha8Rng, now: DateTime<Utc>) -> DeliveryAttempt {
    DeliveryAttempt {
        attempt: one_of(rng, &[1, 7, u32::MAX]),
        attempted_on: now,
        duration: Duration::from_millis(rng.random_range(0..100_000)),
        outcome: one_of(
            rng,
            &[
                AttemptOutcome::Delivered,
                AttemptOutcome::Failed,
                AttemptOutcome::Undelivered,
            ],
        ),
        status: one_of(rng, &[None, Some(200), Some(999)]),
        reason: (rng.random_range(0..2) == 0).then(|| text(rng)),
        content_type: one_of(rng, &[None, Some("text/plain".to_owned())]),
        content_length: one_of(rng, &[None, Some(0), Some(1 << 40)]),
    }
}

fn progress(rng: &mut ChaCha8Rng, now: DateTime<Utc>) -> Progress {
    let attempts = one_of(rng, &[0, 1, 7, u32::MAX]);
    match rng.random_range(0..5) {
        0 => Progress::Done,
        1 | 2 => Progress::Waiting {
            attempts,
            due: now + TimeDelta::minutes(rng.random_range(-600..1200)),
            reason: text(rng),
        },
        3 => Progress::Held,
        _ => Progress::Parked {
            attempts,
            reason: text(rng),
        },
    }
}

fn replay(pair: &mut Pair, rng: &mut ChaCha8Rng, now: DateTime<Utc>) -> String {
    let id = match pair.events.is_empty() {
        true => "evt_none".to_owned(),
        false => one_of(rng, &pair.events),
    };
    let replayed = pair.write(|write, _| write.replay(&id, &ReplayTarget::default(), now));
    word(replayed.map(|count| count.unwrap_or_default()))
}

/// Replays a selection in parts.
fn replay_all(pair: &mut Pair, rng: &mut ChaCha8Rng, now: DateTime<Utc>) -> String {
    let filter = ReplayFilter {
        team_id: (rng.random_range(0..2) == 0).then(|| team(rng)),
        to: (rng.random_range(0..2) == 0).then(|| now - TimeDelta::hours(rng.random_range(0..48))),
        parked: rng.random_range(0..3) > 0,
        ..ReplayFilter::default()
    };
    let limit = rng.random_range(1..30);
    let after = (!pair.events.is_empty()).then(|| one_of(rng, &pair.events));
    let replayed = pair.both("a replay", |side| {
        let filter = ReplayFilter {
            after: side.number(after.as_ref()),
            ..filter.clone()
        };
        let (mut position, mut replayed) = (ReplayPosition::default(), 0);
        loop {
            let read = wait(side.store.replay_part(&filter, position, limit)).expect("reads");
            let ReplayRead::Part(part) = read else {
                panic!("{read:?}")
            };
            replayed += wait(side.store.write(|write| write.replay_all(&part, now))).expect("writes");
            match part.next {
                Some(next) => position = next,
                None => return replayed,
            }
        }
    });
    word(Ok(replayed))
}

/// Prunes the whole log. If its times are not in order, in one part, because the parts depend on the engine.
fn prune(pair: &mut Pair, rng: &mut ChaCha8Rng, now: DateTime<Utc>, in_order: bool) -> String {
    let limit = if in_order { rng.random_range(1..60) } else { usize::MAX };
    let before = |rng: &mut ChaCha8Rng, days: i64| now - TimeDelta::hours(rng.random_range(0..24 * days));
    let retention = EventRetention {
        now,
        delivered: before(rng, 3),
        undelivered: before(rng, 12),
    };
    let deleted = pair.both("pruning", |side| {
        let (mut deleted, mut next) = (0, Some(0));
        while let Some(after) = next {
            let pruned = wait(side.store.write(|write| write.prune(&retention, after, limit))).expect("prunes");
            deleted += pruned.deleted;
            next = pruned.next;
        }
        deleted
    });
    word(Ok(deleted))
}

/// Compares the backlog of a destination, its next events, and the change counters.
fn compare(pair: &mut Pair, rng: &mut ChaCha8Rng, now: DateTime<Utc>) {
    let place = Place::draw(rng);
    let limit = one_of(rng, &[1, 10, usize::MAX]);
    let after = (!pair.events.is_empty()).then(|| one_of(rng, &pair.events));
    pair.both("what is delivered", |side| {
        let store = &side.store;
        let mut message = Vec::new();
        if let Ok(destination) = wait(store.write(|write| place.find(write))) {
            message.push(format!(
                "{:?}",
                pending(side, wait(store.fresh_events(destination, limit)))
            ));
            message.push(format!(
                "{:?}",
                pending(side, wait(store.due_events(destination, now, limit)))
            ));
            message.push(format!("{:?}", wait(store.next_due(destination)).expect("reads")));
            message.push(format!("{:?}", wait(store.retried_events(destination)).expect("reads")));
            message.push(format!("{:?}", wait(store.backlog(destination)).expect("reads")));
        }
        let mut undelivered = wait(store.undelivered(limit)).expect("reads");
        for event in &mut undelivered {
            assert_eq!(side.id(event.number).as_ref(), Some(&event.event_id));
            // Each engine has numbers of its own.
            event.number = 0;
        }
        message.push(format!("{undelivered:?}"));
        let organisation = wait(store.write(|write| write.put_organisation("org_a"))).expect("writes");
        let reads = store.organisation(&organisation);
        for state in [None, Some("waiting"), Some("held"), Some("parked")] {
            let filter = UndeliveredFilter {
                state,
                ..UndeliveredFilter::default()
            };
            let page = wait(reads.undelivered(&filter, limit))
                .expect("reads")
                .expect("no team is named");
            let events = page
                .events
                .iter()
                .map(|event| (&event.event_id, &event.kind, event.state));
            message.push(format!(
                "{state:?} {:?} {}",
                events.collect::<Vec<_>>(),
                page.next.is_some()
            ));
        }
        let listed = wait(reads.destinations(None))
            .expect("reads")
            .expect("no team is named");
        message.extend(listed.destinations.iter().map(|of| {
            let DestinationStatus {
                team_id,
                kind,
                webhook_id,
                outage,
                ..
            } = &of.status;
            format!(
                "{team_id} {kind} {webhook_id:?} {outage:?} {:?} {:?}",
                of.backlog, of.next_due
            )
        }));
        message.push(format!("{:?} {:?}", listed.pipelines, listed.webhooks));
        if let Some(id) = &after {
            let attempts = wait(store.organisation(&organisation).attempts(id));
            message.push(format!("{:?}", attempts.expect("reads")));
        }
        let mut teams = wait(store.teams_with_events(side.number(after.as_ref()))).expect("reads");
        teams.sort();
        message.push(format!("{teams:?}"));
        let changes = wait(store.changes()).expect("reads");
        let last = wait(store.last_event()).expect("reads");
        assert_eq!(last, changes.last_event);
        message.push(format!("{:?} {} {}", side.id(last), changes.routes, changes.replays));
        message
    });
}

fn pending(side: &Side, events: Result<Vec<PendingEvent>, StoreError>) -> Vec<(Option<String>, u32, bool)> {
    let events = events.expect("reads");
    let shown = events.into_iter().map(|pending| {
        assert_eq!(side.id(pending.event.number).as_ref(), Some(&pending.event.event_id));
        (Some(pending.event.event_id), pending.attempts, pending.behind)
    });
    shown.collect()
}
