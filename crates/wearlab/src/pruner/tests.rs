//! Tests of retention with clocks that jump.

mod log_buffer;

use std::cell::Cell;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use tempfile::TempDir;
use uuid::Uuid;
use wearlab_models::ResourceName;
use wearlab_store::{Advance, DeprecatedForms, EventFilter, Ingestion, Record, SampleFilter, Store, ValidArrival};

use self::log_buffer::LogBuffer;
use super::{PruneReport, Pruner, Reading};
use crate::config::events::EventSettings;
use crate::config::values::ValueSettings;

const DAY: Duration = Duration::from_hours(24);
const HOUR: Duration = Duration::from_hours(1);

fn begin() -> DateTime<Utc> {
    "2026-06-01T12:00:00Z".parse().expect("a time")
}

/// Clock, and the time that passes in fact.
struct World {
    _directory: TempDir,
    store: Store,
    passed: Cell<Duration>,
    jumped: Cell<TimeDelta>,
    lost: Cell<u64>,
    values: ValueSettings,
}

impl World {
    /// Creates a store with `events` events that a destination has not received, except the first `delivered`.
    async fn new(events: u32, delivered: usize) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let store = Store::open(directory.path()).expect("a store");
        let world = Self {
            _directory: directory,
            store,
            passed: Cell::default(),
            jumped: Cell::new(TimeDelta::zero()),
            lost: Cell::default(),
            values: ValueSettings::default(),
        };
        let (team, user) = (Uuid::from_u128(1), Uuid::from_u128(7));
        let at = "2026-01-01T00:00:00Z";
        let records = [
            json!({"organisation": {"org_id": "o"}}),
            json!({"team": {"team_id": team, "org_id": "o", "environment": "sandbox", "region": "eu"}}),
            json!({"user": {"user_id": user, "team_id": team, "client_user_id": "c", "created_on": at,
                "connected_sources": [],
                "fallback_time_zone": {"id": "UTC", "source_slug": "manual", "updated_at": at}}}),
            json!({"connection": {"team_id": team, "user_id": user, "provider": {"name": "S", "slug": "s", "logo": "",
                "status": "connected", "created_on": at, "resource_availability": {}}}}),
        ];
        let records = records.map(|record| serde_json::from_value::<Record>(record).expect("a record"));
        let written = world.store.write(|write| {
            records.iter().try_for_each(|record| write.put(record))?;
            let team = write.team(team)?.expect("the team");
            write.destination(team, "rabbitmq", None)
        });
        let destination = written.await.expect("writes");
        world.ingest(events).await;
        if delivered > 0 {
            let cursor = world.log().await[delivered - 1].0;
            let advance = Advance {
                cursor,
                ..Advance::default()
            };
            let advanced = world.store.write(|write| write.advance(destination, &advance, begin()));
            advanced.await.expect("writes");
        }
        world
    }

    /// Ingests days of data at the time of the clock.
    async fn ingest(&self, events: u32) {
        let ingestion = Ingestion {
            now: self.now(),
            fresh_id: Uuid::now_v7,
            forms: DeprecatedForms::default(),
        };
        let arrivals = (0..events).map(|day| {
            let date = begin().date_naive() + TimeDelta::days(i64::from(day));
            let data = json!({"data": {"team_id": Uuid::from_u128(1), "user_id": Uuid::from_u128(7), "provider": "s",
                "resource": "steps", "date": date, "data": [{"timestamp": format!("{date}T10:00:00Z"), "value": 1, "at": self.now()}]}});
            serde_json::from_value::<ValidArrival>(data).expect("an arrival")
        });
        let arrivals: Vec<_> = arrivals.collect();
        let written = self.store.write(|write| {
            let mut each = arrivals.iter();
            each.try_for_each(|arrival| write.ingest(arrival, &ingestion).map(drop))
        });
        written.await.expect("writes");
    }

    fn now(&self) -> DateTime<Utc> {
        begin() + TimeDelta::from_std(self.passed.get()).expect("a time") + self.jumped.get()
    }

    fn pass(&self, time: Duration) {
        self.passed.set(self.passed.get() + time);
    }

    fn jump(&self, days: i64) {
        self.jumped.set(self.jumped.get() + TimeDelta::days(days));
    }

    /// Returns the pruner of a new process, and its start.
    fn process(&self) -> (Pruner<impl Fn(u64)>, Duration) {
        let lost = |count| self.lost.set(self.lost.get() + count);
        let settings = EventSettings::default();
        (
            Pruner::new(self.store.clone(), settings, self.values.clone(), lost),
            self.passed.get(),
        )
    }

    async fn prune<F: Fn(u64)>(&self, (pruner, began): &mut (Pruner<F>, Duration)) -> PruneReport {
        let reading = Reading {
            now: self.now(),
            running: self.passed.get() - *began,
        };
        pruner.prune(reading).await.expect("prunes")
    }

    /// Returns the numbers and the ids of all events.
    async fn log(&self) -> Vec<(i64, String)> {
        let events = self.store.events(&EventFilter::default(), usize::MAX).await;
        let events = events.expect("reads").into_iter();
        events.map(|event| (event.number, event.event_id)).collect()
    }
}

#[tokio::test]
async fn a_clock_that_jumps_ahead_deletes_nothing_and_is_reported_once() {
    let (world, log) = (World::new(50, 10).await, LogBuffer::default());
    let _listening = log.listen();
    let mut process = world.process();
    assert_eq!(world.prune(&mut process).await, PruneReport::default());
    for hour in 1..=3 {
        if hour == 2 {
            world.jump(100);
        }
        world.pass(HOUR);
        assert_eq!(world.prune(&mut process).await, PruneReport::default(), "hour {hour}");
    }
    // Events written with the wrong clock do not move the time either.
    world.ingest(1).await;
    world.pass(HOUR);
    assert_eq!(world.prune(&mut process).await, PruneReport::default());
    // A restart does not move it either, nor do a hundred.
    for _ in 0..100 {
        assert_eq!(world.prune(&mut world.process()).await, PruneReport::default());
    }
    assert_eq!(world.log().await.len(), 51);
    let warned: Vec<_> = log.lines().into_iter().filter(|line| line["level"] == "WARN").collect();
    assert_eq!(warned.len(), 101, "once in each process");
    let message = warned[0]["fields"]["message"].as_str().expect("a text");
    assert!(message.contains("wearlab events accept-clock"), "{message}");
}

/// The first process may find a log without a pruning, and a clock that jumped before.
#[tokio::test]
async fn a_log_that_was_never_pruned_is_safe_from_a_jump() {
    let world = World::new(50, 0).await;
    world.jump(100);
    let mut process = world.process();
    assert_eq!(world.prune(&mut process).await, PruneReport::default());
    world.pass(HOUR);
    assert_eq!(world.prune(&mut process).await, PruneReport::default());
    assert_eq!(world.log().await.len(), 50);
}

#[tokio::test]
async fn what_really_becomes_old_is_deleted_and_what_was_undelivered_is_named() {
    let (world, log) = (World::new(250, 40).await, LogBuffer::default());
    let _listening = log.listen();
    let mut process = world.process();
    world.prune(&mut process).await;
    // After the jump, days pass as before.
    world.jump(100);
    let mut deleted = Vec::new();
    for day in 1..=91 {
        world.pass(DAY);
        let pruned = world.prune(&mut process).await;
        if pruned != PruneReport::default() {
            deleted.push((day, pruned.events, pruned.undelivered));
        }
        if day == 60 {
            process = world.process();
            world.prune(&mut process).await;
        }
    }
    assert_eq!(deleted, [(31, 40, 0), (91, 210, 210)]);
    assert_eq!(world.lost.get(), 210);
    assert!(world.log().await.is_empty());
    let mut named = Vec::new();
    for line in log.lines() {
        let Some(ids) = line["fields"]["event_ids"].as_str() else {
            continue;
        };
        assert_eq!(line["level"], "WARN");
        named.extend(ids.split(' ').map(str::to_owned));
    }
    named.sort();
    named.dedup();
    assert_eq!(named.len(), 210);
}

#[tokio::test]
async fn somebody_who_knows_says_that_the_clock_is_right() {
    let world = World::new(5, 0).await;
    let mut process = world.process();
    world.prune(&mut process).await;
    // The service was stopped for long.
    world.pass(100 * DAY);
    let mut process = world.process();
    assert_eq!(world.prune(&mut process).await.events, 0);
    let (store, now) = (&world.store, world.now());
    let message = store.write(|write| write.set_retention_time(now)).await;
    message.expect("writes");
    world.pass(HOUR);
    let pruned = world.prune(&mut process).await;
    assert_eq!((pruned.events, pruned.undelivered), (5, 5));
}

/// A clock without a battery shows 1970 for a while after each start.
#[tokio::test]
async fn a_clock_that_is_behind_for_a_while_costs_nothing() {
    let world = World::new(5, 5).await;
    let mut process = world.process();
    world.prune(&mut process).await;
    world.jump(-20_000);
    let mut process = world.process();
    assert_eq!(world.prune(&mut process).await.events, 0);
    world.jump(20_000);
    for _ in 0..31 {
        world.pass(DAY);
        world.prune(&mut process).await;
    }
    assert!(world.log().await.is_empty(), "they are old by now");
}

/// Values expire by their day, independently of their events.
#[tokio::test]
async fn values_are_deleted_by_their_day() {
    let mut world = World::new(30, 30).await;
    let (team, user) = (Uuid::from_u128(1), Uuid::from_u128(7));
    let team = world.store.write(|write| write.team(team)).await.expect("reads");
    let team = world.store.team(team.expect("the team"));
    let days = async || {
        let filter = SampleFilter {
            resource: &ResourceName::Steps,
            span: i64::MIN / 2..i64::MAX / 2,
            provider: None,
            after: None,
        };
        let page = team
            .samples(user, &filter, 100)
            .await
            .expect("reads")
            .expect("the user");
        page.groups.iter().map(|group| group.samples.len()).sum::<usize>()
    };
    for (keep, by_resource, left) in [
        ("forever", None, 30),
        ("400days", Some("steps=30days"), 20),
        ("20days", None, 10),
    ] {
        world.values.keep = keep.parse().expect("a time");
        world.values.keep_by_resource = by_resource
            .into_iter()
            .map(|of: &str| of.parse().expect("a rule"))
            .collect();
        let mut process = world.process();
        if left == 30 {
            world.prune(&mut process).await;
            world.pass(40 * DAY);
        }
        let pruned = world.prune(&mut process).await;
        assert_eq!(days().await, left, "{keep} {by_resource:?}: {pruned:?}");
    }
}
