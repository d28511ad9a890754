//! Migration of a store to another one.

mod cut_short;
mod refused;
mod side;

use std::time::Duration;

use serde_json::{Value, json};
use uuid::Uuid;
use wearlab_models::ResourceName;
use wearlab_store::{
    Advance, AttemptOutcome, DeliveryAttempt, DestinationId, EventFilter, IdempotencyOutcome, Ingested, MigrateError,
    MigrationStep, OrderFilter, OrderRows, Progress, Reachability, SampleFilter, Store, TableSum,
};

use self::side::{Kind, Side, both_ways};
use crate::arriving::{self, NO_FORMS, at, chunk, cycle, day, ingestion, log, try_ingest};
use crate::audit::actor;
use crate::idempotency_keys::request;
use crate::world::{World, device, exported, user};

const NOW: &str = "2026-06-01T12:00:00Z";
/// A destination with every delivery state, and with events that were not sent yet.
const QUEUE: (&str, Option<&str>) = ("rabbitmq", None);
/// A destination with all events.
const HOOK: (&str, Option<&str>) = ("webhook", Some("wh_one"));

/// Fills a world with rows in every table. Returns the number of the last event, which was deleted.
async fn fill(side: &Side) -> i64 {
    let world = World::on(tempfile::tempdir().expect("a directory"), side.open().await).await;
    crate::records::put(&world.store, &crate::records::records())
        .await
        .expect("writes");
    world
        .write(|write| {
            write.put_meta("cursor_secret", "hush")?;
            write.put_link_token(world.team, "wl_link_one", at("2030-01-01T00:00:00Z"))?;
            write.put_webhook(&side::webhook(world.team.uuid()))?;
            for id in [7, 8] {
                write.put_user(world.team, &user(world.team, id, NOW))?;
                for slug in ["stridewell", "pulsely"] {
                    write.put_connection(world.team, Uuid::from_u128(id), &crate::world::connection(slug, NOW))?;
                }
            }
            write.put_pipeline(world.team, &crate::pipelines::pipeline(world.team.uuid()))?;
            crate::linking::put(write, &world.ours, world.team, Uuid::from_u128(7))?;
            write.audit(world.team, &actor("one"), at(NOW), "create_user", Some("7"))?;
            write.audit_organisation(&world.ours, &actor("two"), at(NOW), "create_key", None)?;
            write.keep_response(&request("a key", "one"), "a response", None, at(NOW))?;
            write.destination(world.team, HOOK.0, HOOK.1).map(drop)
        })
        .await;
    let mut arrivals: Vec<_> = (1..=6)
        .map(|number| day(&format!("2026-05-0{number}"), number))
        .collect();
    arrivals.push(named("first"));
    arrivals.push(chunk("waits", 1, 2, 5));
    arrivals.push(chunk("whole", 1, 1, 6));
    let sleep = json!({"resource": "sleep_cycle", "data": [cycle(1)]});
    arrivals.push(crate::arriving::arrival("data", sleep));
    let mut other = serde_json::to_value(day("2026-05-02", 9)).expect("JSON");
    other["data"]["user_id"] = json!(Uuid::from_u128(8));
    arrivals.push(serde_json::from_value(other).expect("an arrival"));
    for arrival in &arrivals {
        assert_eq!(take(&world.store, arrival).await, Ingested::Taken);
    }
    let numbers: Vec<i64> = log(&world.store).await.iter().map(|event| event.number).collect();
    let waiting = Progress::Waiting {
        attempts: 2,
        due: at(NOW),
        reason: "refused".to_owned(),
    };
    let parked = Progress::Parked {
        attempts: 9,
        reason: "too often".to_owned(),
    };
    let results = vec![
        (numbers[0], parked),
        (numbers[1], waiting),
        (numbers[2], Progress::Held),
        (numbers[3], Progress::Done),
    ];
    advance(&world.store, QUEUE, results, numbers[3]).await;
    let last = *numbers.last().expect("events");
    advance(&world.store, HOOK, vec![], last).await;
    let hook = destination(&world.store, HOOK).await;
    let outage = Advance {
        cursor: last,
        reachability: Some(Reachability::Down {
            reason: "refused".to_owned(),
            next_attempt: at(NOW),
        }),
        ..Advance::default()
    };
    world.write(|write| write.advance(hook, &outage, at(NOW))).await;
    world
        .write(|write| write.delete_user(world.team, Uuid::from_u128(8)))
        .await;
    assert!(
        world.store.last_event().await.expect("reads") < last,
        "the last event is gone"
    );
    last
}

fn named(id: &str) -> wearlab_store::ValidArrival {
    let more = json!({"arrival_id": id, "date": "2026-04-30", "resource": "floors_climbed"});
    crate::arriving::arrival("data", more)
}

async fn take(store: &Store, arrival: &wearlab_store::ValidArrival) -> Ingested {
    try_ingest(store, arrival, &ingestion(NO_FORMS))
        .await
        .expect("is taken")
}

async fn destination(store: &Store, (kind, webhook): (&str, Option<&str>)) -> DestinationId {
    let id = store.write(|write| {
        let team = write.team(Uuid::from_u128(1))?.expect("the team");
        write.destination(team, kind, webhook)
    });
    id.await.expect("writes")
}

async fn advance(store: &Store, of: (&str, Option<&str>), results: Vec<(i64, Progress)>, cursor: i64) {
    let destination = destination(store, of).await;
    let attempt = DeliveryAttempt {
        attempt: 1,
        attempted_on: at(NOW),
        duration: Duration::from_millis(41),
        outcome: AttemptOutcome::Failed,
        status: Some(503),
        reason: Some("responded with status 503".to_owned()),
        content_type: Some("text/plain".to_owned()),
        content_length: Some(7),
    };
    let attempts = results.iter().map(|(number, _)| (*number, attempt.clone()));
    let advance = Advance {
        attempts: attempts.collect(),
        results,
        cursor,
        ordered: true,
        ..Advance::default()
    };
    let written = store.write(|write| write.advance(destination, &advance, at(NOW)));
    written.await.expect("writes");
}

/// Returns the responses of all reads of a store.
async fn responses(store: &Store) -> Vec<String> {
    let mut responses = exported(store).await;
    let mut add = |response: String| responses.push(response);
    for event in log(store).await {
        let payload = String::from_utf8_lossy(event.payload.as_bytes()).into_owned();
        add(format!(
            "{} {} {} {} {payload}",
            event.number, event.event_id, event.event_type, event.created_on
        ));
    }
    for of in [QUEUE, HOOK] {
        let id = destination(store, of).await;
        add(format!("{id:?} {:?}", store.backlog(id).await.expect("reads")));
        for pending in [
            store.fresh_events(id, 100).await.expect("reads"),
            store.due_events(id, at(NOW), 100).await.expect("reads"),
        ] {
            let pending = pending
                .iter()
                .map(|event| (event.event.number, event.attempts, event.behind));
            add(format!("{:?}", pending.collect::<Vec<_>>()));
        }
        add(format!("{:?}", store.next_due(id).await.expect("reads")));
    }
    add(format!("{:?}", store.undelivered(100).await.expect("reads")));
    add(format!("{:?}", store.destinations().await.expect("reads")));
    add(format!("{:?}", store.keys().await.expect("reads")));
    add(format!("{:?}", store.changes().await.expect("reads")));
    add(serde_json::to_string(&store.webhooks().await.expect("reads")).expect("JSON"));
    add(format!("{:?}", store.meta("cursor_secret").await.expect("reads")));
    add(format!(
        "{:?}",
        store.team_of_link_token("wl_link_one", at(NOW)).await.expect("reads")
    ));
    let ours = store.write(|write| write.put_organisation("org_ours"));
    let ours = ours.await.expect("is there");
    add(format!("{:?}", store.audit_log(&ours, 0, 100).await.expect("reads")));
    let repeat = store.write(|write| write.repeat(&request("a key", "one"), at(NOW)));
    match repeat.await.expect("reads") {
        IdempotencyOutcome::Again(response) => add(response),
        other => panic!("{other:?}"),
    }
    for key in ["wl_team_one", "wl_team_none"] {
        add(format!("{:?}", store.team_of_key(key).await.expect("reads")));
    }
    let team = store.write(|write| write.team(Uuid::from_u128(11)));
    let team = team.await.expect("reads").expect("the team");
    for offset in 0..4 {
        let page = store.team(team).users(offset, 2).await.expect("reads");
        let users = page
            .users
            .iter()
            .map(|user| String::from_utf8_lossy(user.as_bytes()).into_owned());
        add(format!("{} {:?}", page.total, users.collect::<Vec<_>>()));
    }
    let devices = store.team(team).devices(Uuid::from_u128(7)).await.expect("reads");
    add(devices
        .expect("the user")
        .iter()
        .map(|device| String::from_utf8_lossy(device.as_bytes()).into_owned())
        .collect());
    let orders = store
        .team(team)
        .orders(&OrderFilter::default(), 1, 100, usize::MAX)
        .await
        .expect("reads");
    let OrderRows::Whole(whole) = &orders.orders else {
        panic!("not whole");
    };
    for order in crate::world::all(whole) {
        let order = store.team(team).order_with_results(order.id).await.expect("reads");
        add(serde_json::to_string(&order).expect("JSON"));
    }
    add(format!("{}", orders.total));
    for team in [1, 11] {
        let team = store.write(|write| write.team(Uuid::from_u128(team)));
        let team = team.await.expect("reads").expect("the team");
        let tasks = store.pull_tasks(team, Uuid::from_u128(7)).await.expect("reads");
        add(format!("{tasks:?}"));
    }
    for line in values(store).await {
        add(line);
    }
    responses
}

/// Returns the samples and summaries of the user with arrivals.
async fn values(store: &Store) -> Vec<String> {
    let user = Uuid::from_u128(arriving::USER);
    let team = store.write(|write| write.team(Uuid::from_u128(1)));
    let team = store.team(team.await.expect("reads").expect("the team"));
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
    let mut lines = Vec::new();
    for sample in page.groups.iter().flat_map(|group| &group.samples) {
        let mut json = Vec::new();
        sample.write(&mut json);
        lines.push(String::from_utf8(json).expect("JSON"));
    }
    assert!(lines.len() >= 6, "one a day, of which one was pulled again");
    let days = at("2026-01-01T00:00:00Z").date_naive()..=at("2026-12-31T00:00:00Z").date_naive();
    let cycles = team.summaries::<Value>(user, &ResourceName::SleepCycle, days, None);
    let cycles = cycles.await.expect("reads").expect("the user");
    assert_eq!(cycles.len(), 1);
    lines.extend(
        cycles
            .iter()
            .map(|cycle| String::from_utf8_lossy(cycle.as_bytes()).into_owned()),
    );
    lines
}

/// Migrates, and returns the checksums of the tables, which must be equal on both sides.
async fn moved(from: &Side, to: &Side) -> Result<Vec<(&'static str, TableSum)>, MigrateError> {
    let mut tables = Vec::new();
    let (from, to) = (from.address(), to.address());
    let moved = Store::migrate(&from, &to, |step| {
        if let MigrationStep::Verified { table, source, target } = step {
            assert_eq!(source, target, "{table}");
            tables.push((table, source.clone()));
        }
    });
    moved.await.map(|()| tables)
}

both_ways! {
    /// The target has all data, and continues after it.
    async fn it_answers_as_before_and_goes_on(from, to) {
        let last = fill(&from).await;
        let source = from.open().await;
        let before = responses(&source).await;
        drop(source);
        let tables = moved(&from, &to).await.expect("moves");
        assert!(tables.len() >= 42, "{}", tables.len());
        for (table, sum) in &tables {
            assert!(sum.rows > 0, "there is something in {table}");
        }
        let store = to.open().await;
        assert_eq!(responses(&store).await, before);
        assert_eq!(responses(&from.open().await).await, before, "the source is as it was");

        // Repeated arrivals are duplicates, the waiting pull continues, and its event has the next number.
        assert_eq!(take(&store, &named("first")).await, Ingested::Duplicate);
        assert_eq!(take(&store, &day("2026-05-03", 3)).await, Ingested::Duplicate);
        assert_eq!(take(&store, &chunk("waits", 2, 2, 5)).await, Ingested::Taken);
        let events = store.events(&EventFilter { after: last, ..EventFilter::default() }, 10).await.expect("reads");
        let numbers: Vec<_> = events.iter().map(|event| (event.number, event.event_type.as_str())).collect();
        assert_eq!(numbers, [(last + 1, "historical.data.steps.created")]);
        // The hook had all events except the new one. The queue continues after its cursor.
        let hook = store.fresh_events(destination(&store, HOOK).await, 100).await.expect("reads");
        assert_eq!(hook.iter().map(|event| event.event.number).collect::<Vec<_>>(), [last + 1]);
        let queue = store.fresh_events(destination(&store, QUEUE).await, 100).await.expect("reads");
        let queue: Vec<_> = queue.iter().map(|event| event.event.number).collect();
        let all: Vec<_> = log(&store).await.iter().map(|event| event.number).collect();
        assert_eq!(queue, all[4..]);

        // The audit log continues, too.
        let ours = store.write(|write| {
            let ours = write.put_organisation("org_ours")?;
            write.audit_organisation(&ours, &actor("three"), at(NOW), "create_key", None)?;
            Ok(ours)
        });
        let log = store.audit_log(&ours.await.expect("writes"), 0, 100).await.expect("reads");
        assert_eq!(log.iter().map(|entry| entry.request_id.as_str()).collect::<Vec<_>>(), ["one", "two", "three"]);

        // New rows get free numbers.
        let more = store.write(|write| {
            let team = write.team(Uuid::from_u128(11))?.expect("the team");
            write.put_user(team, &user(team, 70, NOW))?;
            write.put_connection(team, Uuid::from_u128(70), &crate::world::connection("new", NOW))?;
            write.put_device(team, &device(70, 71))?;
            write.destination(team, "svix", None)
        });
        let made = more.await.expect("writes");
        assert_ne!(made, destination(&store, QUEUE).await);
        assert_ne!(made, destination(&store, HOOK).await);
        store.check().await.expect("is well");
    }
}

both_ways! {
    /// A migration of encrypted values needs no key, but reading them does.
    async fn what_is_encrypted_stays_so(from, to) {
        let from = from.sealed();
        fill(&from).await;
        let before = responses(&from.open().await).await;
        moved(&from, &to).await.expect("moves");
        let error = to.try_open().await.expect_err("is sealed");
        assert!(matches!(error, wearlab_store::StoreError::Sealed), "{error:?}");
        assert_eq!(responses(&to.sealed().open().await).await, before);
    }
}
