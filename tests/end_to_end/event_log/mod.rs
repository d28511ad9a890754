//! Event log over HTTP: by position, with filters, and with a wait.

mod replay;
mod undelivered;
mod waits;

use serde_json::{Value, json, to_value};
use wearlab_client::Error;
use wearlab_models::{Event, EventList, Uuid};
use wearlab_store::{DeprecatedForms, EventFilter, EventRetention, Ingestion, Record, Store, ValidArrival};
use wearlab_tests::{EVENT_ID, Running};

/// Ingests data of the sample's user, with another value each time.
async fn walk(store: &Store, running: &Running, value: u32) {
    let sample = &running.sample;
    let line = json!({"data": {"team_id": sample.team_id, "user_id": sample.user_id, "provider": "stridewell",
        "resource": "steps", "date": "2026-05-01", "raw": {"n": value},
        "data": [{"timestamp": "2026-05-01T10:00:00Z", "value": value, "unit": "count"}]}});
    let arrival: ValidArrival = serde_json::from_value(line).expect("an arrival");
    let ingestion = Ingestion {
        now: chrono::Utc::now(),
        fresh_id: Uuid::now_v7,
        forms: DeprecatedForms::default(),
    };
    let taken = store.write(|write| write.ingest(&arrival, &ingestion)).await;
    taken.expect("is taken");
}

async fn page(running: &Running, after: i64) -> EventList {
    let client = running.client();
    let call = client.list_events(&running.sample.org_id).after(after);
    call.send().await.expect("a page").into_inner()
}

#[tokio::test]
async fn a_client_reads_the_log_by_position() {
    let running = Running::start(5).await;
    let client = running.client();
    for value in 1..=12 {
        walk(&running.store, &running, value).await;
    }
    let all = running
        .store
        .events(&EventFilter::default(), 100)
        .await
        .expect("the log");
    assert_eq!((all.len(), all[0].event_id.as_str()), (13, EVENT_ID));
    let (mut after, mut seen) = (0, Vec::new());
    loop {
        let call = client.list_events(&running.sample.org_id);
        let page = call.after(after).limit(5).send().await.expect("a page").into_inner();
        assert!(
            page.events
                .iter()
                .all(|event| event.number > after && event.number <= page.last)
        );
        after = page.last;
        seen.extend(page.events);
        if !page.more {
            break;
        }
    }
    assert_eq!(seen.len(), all.len());
    for (event, logged) in seen.iter().zip(&all) {
        assert_eq!((event.number, &event.event_id), (logged.number, &logged.event_id));
        let payload: Event = serde_json::from_value(event.payload.clone().into()).expect("an event");
        assert_eq!(payload.event_type(), event.event_type);
        let one = client.get_event(&running.sample.org_id, &event.event_id);
        assert_eq!(one.send().await.expect("an event").into_inner(), *event);
    }
    let end = page(&running, after).await;
    assert_eq!((end.events.len(), end.last, end.more), (0, after, false));
    let call = || client.list_events(&running.sample.org_id);
    let typed = call().event_type("provider.").send().await.expect("a page");
    assert_eq!(
        (typed.events.len(), typed.last),
        (1, after),
        "it advances past what is left out"
    );
    let of_user = call().user_id(running.sample.user_id).send().await.expect("a page");
    assert_eq!(of_user.events.len(), 13);
    let of_sister = call()
        .team_id(running.sample.other_team.team_id)
        .send()
        .await
        .expect("a page");
    assert_eq!((of_sister.events.len(), of_sister.last), (0, after));
    let ahead = call().after(after + 1).send().await.expect_err("no position");
    assert!(matches!(ahead, Error::Invalid(_)), "{ahead:?}");
    assert!(ahead.to_string().contains("/query/after"), "{ahead}");
    // Backwards from the end, the result is the same in reverse order.
    let (mut before, mut newest_first) = (i64::MAX, Vec::new());
    loop {
        let page = call()
            .before(before)
            .limit(5)
            .send()
            .await
            .expect("a page")
            .into_inner();
        assert!(page.last < before && page.end == after);
        before = page.last;
        newest_first.extend(page.events);
        if !page.more {
            break;
        }
    }
    newest_first.reverse();
    assert_eq!(newest_first, seen);
    let middle = seen[6].number;
    let between = call()
        .after(seen[3].number)
        .before(middle)
        .send()
        .await
        .expect("a page");
    let between: Vec<_> = between.events.iter().map(|event| event.number).collect();
    assert_eq!(between, [seen[5].number, seen[4].number]);
    let waits = call()
        .before(middle)
        .wait(1)
        .send()
        .await
        .expect_err("nothing to wait for");
    assert!(
        matches!(waits, Error::Invalid(_)) && waits.to_string().contains("/query/wait"),
        "{waits}"
    );
    // The raw response is equal.
    let sent = running.json(&running.path("/v1/org/{org_id}/events")).await;
    assert_eq!(to_value(page(&running, 0).await).expect("JSON"), sent);
}

#[tokio::test]
async fn a_payload_is_what_the_pipeline_delivers_unless_all_of_it_is_wanted() {
    let running = Running::start(5).await;
    let (client, sample) = (running.client(), &running.sample);
    walk(&running.store, &running, 7).await;
    let put = async |raw: bool| {
        let pipeline = json!({"pipeline": {"team_id": sample.team_id, "push_historical_data": false,
            "provider_raw_data": raw, "preferences": {"preferred": "svix", "enabled": ["svix"]},
            "svix": {"regional": false}, "event_type_prefixes": []}});
        let pipeline: Record = serde_json::from_value(pipeline).expect("a pipeline");
        running.store.write(|write| write.put(&pipeline)).await.expect("writes");
    };
    for (raw, full, shown) in [(false, false, false), (false, true, true), (true, false, true)] {
        put(raw).await;
        let call = client.list_events(&sample.org_id).event_type("daily.").full(full);
        let page = call.send().await.expect("a page").into_inner();
        let payload = Value::from(page.events[0].payload.clone());
        assert_eq!(payload["data"].get("raw").is_some(), shown, "{raw} {full}");
        let one = client.get_event(&sample.org_id, &page.events[0].event_id).full(full);
        assert_eq!(one.send().await.expect("an event").into_inner(), page.events[0]);
    }
}

#[tokio::test]
async fn what_was_deleted_for_its_age_is_not_passed_over_in_silence() {
    let running = Running::start(5).await;
    for value in 1..=3 {
        walk(&running.store, &running, value).await;
    }
    let first = page(&running, 0).await;
    assert_eq!((first.events.len(), first.complete_after), (4, 0));
    let now = chrono::Utc::now();
    let retention = EventRetention {
        now,
        delivered: first.events[2].created_on.to_utc(),
        undelivered: first.events[2].created_on.to_utc(),
    };
    let pruned = running.store.write(|write| write.prune(&retention, 0, 100)).await;
    assert_eq!(pruned.expect("prunes").deleted, 2);
    let rest = page(&running, 0).await;
    assert_eq!(rest.events, first.events[2..]);
    assert_eq!(rest.complete_after, first.events[1].number);
}
