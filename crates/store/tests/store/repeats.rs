//! Repeated data, compared with stored values.

use chrono::NaiveDate;
use serde_json::{Value, json};
use uuid::Uuid;
use wearlab_models::ResourceName;
use wearlab_store::{Ingested, IntrospectionFilter, SampleFilter, ValidArrival, ValueRetention};

use crate::arriving::{USER, arrival, chunk, cycle, day, in_event, ingest, payloads, sample_of, types, world};
use crate::pulls::HISTORICAL;
use crate::world::World;
use Ingested::{Duplicate, Taken};

/// Returns the times and values of all samples of a resource, in order.
pub(crate) async fn samples(world: &World, resource: &str) -> Vec<Value> {
    let filter = SampleFilter {
        resource: &ResourceName::from(resource),
        span: i64::MIN / 2..i64::MAX / 2,
        provider: None,
        after: None,
    };
    let page = world
        .store
        .team(world.team)
        .samples(Uuid::from_u128(USER), &filter, 1_000)
        .await;
    let groups = page.expect("reads").expect("the user").groups.into_iter();
    let samples = groups.flat_map(|group| group.samples).map(|sample| {
        let mut json = Vec::new();
        sample.write(&mut json);
        serde_json::from_slice(&json).expect("JSON")
    });
    samples.collect()
}

/// Returns all summaries of a resource, in order.
pub(crate) async fn summaries(world: &World, resource: &str) -> Vec<Value> {
    let [first, last] = ["2026-01-01", "2026-12-31"].map(|day| day.parse::<NaiveDate>().expect("a day"));
    let (team, resource) = (world.store.team(world.team), ResourceName::from(resource));
    let found = team.summaries::<Value>(Uuid::from_u128(USER), &resource, first..=last, None);
    crate::world::all(&found.await.expect("reads").expect("the user"))
}

pub(crate) fn deleted(fields: Value) -> ValidArrival {
    let mut all = json!({"provider": "stridewell"});
    all.as_object_mut()
        .expect("an object")
        .extend(fields.as_object().expect("an object").clone());
    arrival("data_deleted", all)
}

pub(crate) fn deleted_span(start: &str, end: &str) -> ValidArrival {
    deleted(json!({"resource": "steps", "start": start, "end": end}))
}

/// Returns the oldest and the newest day of a resource from introspection.
pub(crate) async fn days_of(world: &World, resource: &str) -> [Value; 2] {
    let filter = IntrospectionFilter {
        user_id: Some(Uuid::from_u128(USER)),
        ..IntrospectionFilter::default()
    };
    let page = world.store.team(world.team).introspected_resources(&filter, 100).await;
    let providers = json!(page.expect("reads").expect("the user").users[0].provider);
    ["oldest_data", "newest_data"].map(|name| providers["stridewell"][resource][name].clone())
}

#[tokio::test]
async fn a_sample_that_changes_back_is_taken() {
    let steps =
        |date: &str, value: u64| arrival("data", json!({"date": date, "data": [sample_of("2026-05-01", value)]}));
    let between = [chunk("p", 1, 1, 2), steps("2026-05-02", 2), steps("2026-04-07", 2)];
    for second in between {
        let world = world().await;
        let first = steps("2026-05-01", 1);
        assert_eq!(ingest(&world, &[first.clone(), second]).await, [Taken, Taken]);
        assert_eq!(samples(&world, "steps").await, [sample_of("2026-05-01", 2)]);
        assert_eq!(ingest(&world, &[first.clone(), first]).await, [Taken, Duplicate]);
        assert_eq!(samples(&world, "steps").await, [sample_of("2026-05-01", 1)]);
        let last = payloads(&world).await.pop().expect("an event");
        assert_eq!(last["event_type"], "daily.data.steps.updated");
        assert_eq!(last["data"]["data"], json!([in_event(sample_of("2026-05-01", 1))]));
    }
}

#[tokio::test]
async fn a_summary_that_changes_back_is_taken() {
    let night = |date: &str, score: u64, pull: Option<Value>| {
        let mut night = cycle(1);
        night["score"] = json!(score);
        let mut fields = json!({"resource": "sleep_cycle", "date": date, "data": [night]});
        if let Some(pull) = pull {
            fields["pull"] = pull;
        }
        arrival("data", fields)
    };
    let pull = json!({"id": "p", "chunk": 1, "chunks": 1});
    for second in [night("2026-05-02", 2, Some(pull)), night("2026-05-03", 2, None)] {
        let world = world().await;
        let first = night("2026-05-02", 1, None);
        let all = [first.clone(), second, first.clone(), first];
        assert_eq!(ingest(&world, &all).await, [Taken, Taken, Taken, Duplicate]);
        let found = summaries(&world, "sleep_cycle").await;
        assert_eq!(found.iter().map(|night| &night["score"]).collect::<Vec<_>>(), [1]);
    }
}

/// Lines of one day and source, repeated in order.
#[tokio::test]
async fn values_that_are_stored_are_known_whatever_arrived_last() {
    let world = world().await;
    let at = |time: &str, value: u64| json!({"timestamp": format!("2026-05-01T{time}:00Z"), "value": value});
    let of = |values: Value| arrival("data", json!({"data": values}));
    let lines = [of(json!([at("08:00", 1)])), of(json!([at("09:00", 2), at("10:00", 3)]))];
    let round = [lines[0].clone(), lines[1].clone(), lines[0].clone(), lines[1].clone()];
    assert_eq!(ingest(&world, &round).await, [Taken, Taken, Duplicate, Duplicate]);
    let with_unit = json!({"timestamp": "2026-05-01T10:00:00+00:00", "value": 3.0, "unit": "count"});
    let forms = [
        of(json!([at("10:00", 3)])),
        of(json!([at("10:00", 3), at("08:00", 1), at("09:00", 2)])),
        of(json!([with_unit])),
        of(json!([])),
    ];
    assert_eq!(ingest(&world, &forms).await, [Duplicate; 4]);
    assert_eq!(types(&world).await.len(), 2);
    // One changed value is new, and so is an additional one.
    let news = [
        of(json!([at("08:00", 1), at("09:00", 7)])),
        of(json!([at("08:00", 1), at("07:00", 0)])),
        lines[1].clone(),
    ];
    assert_eq!(ingest(&world, &news).await, [Taken; 3]);
    assert_eq!(samples(&world, "steps").await.len(), 4);

    let meal = |id: u128, name: &str| {
        json!({"id": Uuid::from_u128(id), "timestamp": "2026-05-01T12:00:00Z", "name": name, "priority_id": 1,
            "source_id": 1, "provider_id": "m"})
    };
    let of = |values: Value| arrival("data", json!({"resource": "meal", "data": values}));
    let [one, other] = [of(json!([meal(1, "soup")])), of(json!([meal(2, "bread")]))];
    let all = [
        one.clone(),
        other.clone(),
        one,
        other,
        of(json!([meal(2, "bread"), meal(1, "soup")])),
    ];
    assert_eq!(
        ingest(&world, &all).await,
        [Taken, Taken, Duplicate, Duplicate, Duplicate]
    );
    assert_eq!(ingest(&world, &[of(json!([meal(1, "stew")]))]).await, [Taken]);
}

/// The provider's own payload and values of event-only resources are not stored: only a repeat of the last ones is a
/// duplicate.
#[tokio::test]
async fn what_is_not_stored_is_news_unless_it_came_last() {
    let world = world().await;
    let of = |resource: &str, n: u64, raw: Value| {
        let data = json!([{"timestamp": "2026-05-01T10:00:00Z", "value": n}]);
        arrival("data", json!({"resource": resource, "data": data, "raw": raw}))
    };
    for (resource, raw) in [
        ("steps", [json!({"n": 1}), json!({"n": 2})]),
        ("sprockets", [json!({}), json!({})]),
    ] {
        let [first, second] = [
            of(resource, 1, raw[0].clone()),
            of(resource, 1 + u64::from(resource != "steps"), raw[1].clone()),
        ];
        let all = [first.clone(), second.clone(), second, first];
        assert_eq!(
            ingest(&world, &all).await,
            [Taken, Taken, Duplicate, Taken],
            "{resource}"
        );
    }
}

/// A sender that polls the last days causes no events for unchanged days, whatever else came.
#[tokio::test]
async fn days_that_others_touch_are_known_while_they_say_the_same() {
    let world = world().await;
    let evening = |date: &str, time: &str, value: u64| {
        let sample = json!({"timestamp": time, "value": value});
        arrival("data", json!({"date": date, "data": [sample_of(date, value), sample]}))
    };
    // In Oslo, these are the first hours of the next day.
    let first = evening("2026-05-01", "2026-05-01T23:10:00Z", 1);
    let second = evening("2026-05-02", "2026-05-02T23:10:00Z", 2);
    let all = [first.clone(), second.clone(), first.clone(), second.clone()];
    assert_eq!(ingest(&world, &all).await, [Taken, Taken, Duplicate, Duplicate]);
    let more = (0..20).map(|minute| {
        let sample = json!({"timestamp": format!("2026-05-01T11:{minute:02}:00Z"), "value": 3});
        arrival("data", json!({"date": "2026-05-03", "data": [sample]}))
    });
    ingest(&world, &more.collect::<Vec<_>>()).await;
    assert_eq!(ingest(&world, &[first, second]).await, [Duplicate, Duplicate]);
}

#[tokio::test]
async fn what_was_deleted_comes_back() {
    let off_by = |date: &str| arrival("data", json!({"date": date, "data": [sample_of("2026-05-01", 1)]}));
    let span = deleted_span("2026-05-01T00:00:00Z", "2026-05-02T00:00:00Z");
    for date in ["2026-05-01", "2026-05-02", "2026-05-09"] {
        let world = world().await;
        let all = [off_by(date), span.clone(), off_by(date), off_by(date)];
        assert_eq!(ingest(&world, &all).await, [Taken, Taken, Taken, Duplicate], "{date}");
        assert_eq!(samples(&world, "steps").await, [sample_of("2026-05-01", 1)], "{date}");
    }
    let night = |date: &str| {
        arrival(
            "data",
            json!({"resource": "sleep_cycle", "date": date, "data": [cycle(1)]}),
        )
    };
    let named = arrival(
        "data",
        json!({"resource": "activity", "date": "2026-05-09", "data": [{"calendar_date": "2026-05-01", "steps": 5}]}),
    );
    let by_id = deleted(json!({"resource": "sleep_cycle", "id": Uuid::from_u128(1)}));
    let by_day = deleted(json!({"resource": "activity", "start_date": "2026-05-01", "end_date": "2026-05-01"}));
    for (resource, first, deletion) in [
        ("sleep_cycle", night("2026-05-01"), by_id.clone()),
        ("sleep_cycle", night("2026-05-07"), by_id),
        ("activity", named, by_day),
    ] {
        let world = world().await;
        let all = [first.clone(), deletion.clone(), deletion, first.clone(), first];
        assert_eq!(
            ingest(&world, &all).await,
            [Taken, Taken, Duplicate, Taken, Duplicate],
            "{resource}"
        );
        assert_eq!(summaries(&world, resource).await.len(), 1, "{resource}");
    }
}

/// The first values of a chunk count. Values that were deleted since come back, with an event of their own.
#[tokio::test]
async fn a_chunk_brings_back_what_was_deleted() {
    let world = world().await;
    let chunks = [chunk("p", 1, 2, 1), chunk("p", 2, 2, 2)];
    assert_eq!(ingest(&world, &chunks).await, [Taken, Taken]);
    let span = deleted_span("2026-05-02T10:00:00Z", "2026-05-02T11:00:00Z");
    let all = [span, chunks[0].clone(), chunks[1].clone(), chunks[1].clone()];
    assert_eq!(ingest(&world, &all).await, [Taken, Duplicate, Taken, Duplicate]);
    let both = [sample_of("2026-05-01", 1), sample_of("2026-05-02", 2)];
    assert_eq!(samples(&world, "steps").await, both);
    let deleted = "daily.data.steps.deleted";
    assert_eq!(types(&world).await, [HISTORICAL, deleted, HISTORICAL]);
    let data = payloads(&world).await.pop().expect("an event")["data"].clone();
    assert_eq!(
        (&data["start_date"], &data["end_date"], &data["data"]),
        (
            &json!("2026-05-02"),
            &json!("2026-05-02"),
            &json!([in_event(both[1].clone())])
        )
    );
    // Values of a later arrival are newer.
    assert_eq!(
        ingest(&world, &[day("2026-05-01", 7), chunks[0].clone()]).await,
        [Taken, Duplicate]
    );
    assert_eq!(samples(&world, "steps").await[0], sample_of("2026-05-01", 7));
}

#[tokio::test]
async fn the_deletion_of_an_hour_leaves_the_days_around_it() {
    let world = world().await;
    let two = |date: &str| {
        let later = json!({"timestamp": format!("{date}T12:00:00Z"), "value": 4});
        arrival("data", json!({"date": date, "data": [sample_of(date, 1), later]}))
    };
    let days = ["2026-05-01", "2026-05-02", "2026-05-03"];
    assert_eq!(ingest(&world, &days.map(two)).await, [Taken; 3]);
    let hour = deleted_span("2026-05-02T10:00:00Z", "2026-05-02T11:00:00Z");
    assert_eq!(ingest(&world, &[hour]).await, [Taken]);
    assert_eq!(days_of(&world, "steps").await, [json!(days[0]), json!(days[2])]);
    // Unchanged days are duplicates. The day that lost an hour gets it back.
    let all = [two(days[0]), two(days[2]), two(days[1])];
    assert_eq!(ingest(&world, &all).await, [Duplicate, Duplicate, Taken]);
    assert_eq!(ingest(&world, &days.map(|date| day(date, 9))).await, [Taken; 3]);
    let updated = types(&world)
        .await
        .iter()
        .filter(|name| name.ends_with(".updated"))
        .count();
    assert_eq!(updated, 4);
    // A whole day is deleted, and then all.
    let whole = deleted_span("2026-05-01T00:00:00Z", "2026-05-02T00:00:00Z");
    assert_eq!(ingest(&world, &[whole]).await, [Taken]);
    assert_eq!(days_of(&world, "steps").await, [json!(days[1]), json!(days[2])]);
    assert_eq!(ingest(&world, &[day(days[0], 1)]).await, [Taken]);
    assert_eq!(types(&world).await.pop().as_deref(), Some("daily.data.steps.created"));
    let all = deleted_span("2026-01-01T00:00:00Z", "2026-12-31T00:00:00Z");
    assert_eq!(ingest(&world, &[all]).await, [Taken]);
    assert_eq!(days_of(&world, "steps").await, [Value::Null, Value::Null]);
}

/// A day keeps its data for one source.
#[tokio::test]
async fn a_day_has_data_while_any_source_or_summary_has() {
    let world = world().await;
    let of = |source: &str| {
        arrival(
            "data",
            json!({"source": {"type": source}, "data": [sample_of("2026-05-01", 1)]}),
        )
    };
    let fields = json!({"resource": "steps", "source": {"type": "watch"}, "start": "2026-05-01T00:00:00Z",
        "end": "2026-05-02T00:00:00Z"});
    let all = [of("watch"), of("phone"), deleted(fields), of("phone"), of("watch")];
    assert_eq!(ingest(&world, &all).await, [Taken, Taken, Taken, Duplicate, Taken]);
    assert_eq!(types(&world).await.pop().as_deref(), Some("daily.data.steps.updated"));
    let meal = |id: u128| {
        json!({"id": Uuid::from_u128(id), "timestamp": "2026-05-01T12:00:00Z", "name": "soup", "priority_id": 1,
            "source_id": 1, "provider_id": "m"})
    };
    let meals = arrival("data", json!({"resource": "meal", "data": [meal(1), meal(2)]}));
    let one = deleted(json!({"resource": "meal", "id": Uuid::from_u128(1)}));
    assert_eq!(ingest(&world, &[meals, one]).await, [Taken, Taken]);
    assert_eq!(
        days_of(&world, "meal").await,
        [json!("2026-05-01"), json!("2026-05-01")]
    );
    let other = deleted(json!({"resource": "meal", "id": Uuid::from_u128(2)}));
    assert_eq!(ingest(&world, &[other]).await, [Taken]);
    assert_eq!(days_of(&world, "meal").await, [Value::Null, Value::Null]);
}

/// Stored values would be deleted immediately.
#[tokio::test]
async fn values_whose_retention_has_passed_are_no_news() {
    let world = world().await;
    let night = arrival(
        "data",
        json!({"resource": "sleep_cycle", "date": "2026-05-01", "data": [cycle(1)]}),
    );
    let all = [day("2026-05-01", 1), day("2026-05-03", 1), night, chunk("p", 1, 1, 1)];
    assert_eq!(ingest(&world, &all).await, [Taken; 4]);
    let retention = ValueRetention {
        before: Some("2026-05-03".parse().expect("a day")),
        ..ValueRetention::default()
    };
    let pruned = world.write(|write| write.prune_values(&retention, 0, 100)).await;
    assert_eq!((pruned.summaries, pruned.chunks), (1, 2));
    assert_eq!(ingest(&world, &all).await, [Duplicate; 4]);
    let span = deleted_span("2026-05-03T00:00:00Z", "2026-05-04T00:00:00Z");
    assert_eq!(ingest(&world, &[span]).await, [Taken]);
    assert_eq!(ingest(&world, &all).await, [Duplicate, Taken, Duplicate, Duplicate]);
}

/// Each source that had data has an event.
#[tokio::test]
async fn a_deletion_of_all_sources_has_an_event_for_each() {
    let world = world().await;
    let of = |source: Value| arrival("data", json!({"source": source, "data": [sample_of("2026-05-01", 1)]}));
    let arrivals = [
        of(json!({"type": "watch"})),
        of(json!({})),
        of(json!({"type": "phone", "app_id": "a"})),
    ];
    assert_eq!(ingest(&world, &arrivals).await, [Taken; 3]);
    let body = |kind: &str, day: &str| {
        let fields = json!({"resource": "body", "date": day, "source": {"type": kind}, "data": [{"weight": 70}]});
        arrival("data", fields)
    };
    assert_eq!(
        ingest(&world, &[body("scale", "2026-05-01"), body("watch", "2026-05-01")]).await,
        [Taken; 2]
    );
    let all = [
        deleted_span("2026-05-01T00:00:00Z", "2026-05-02T00:00:00Z"),
        deleted(json!({"resource": "body", "start_date": "2026-05-01", "end_date": "2026-05-01"})),
    ];
    assert_eq!(ingest(&world, &all).await, [Taken; 2]);
    let events = payloads(&world).await.into_iter().filter(|event| {
        event["event_type"]
            .as_str()
            .is_some_and(|kind| kind.ends_with(".deleted"))
    });
    let mut found: Vec<_> = events
        .map(|event| format!("{} {}", event["event_type"], event["data"]["source"]["type"]).replace('"', ""))
        .collect();
    found.sort();
    let [body, steps] = ["daily.data.body.deleted", "daily.data.steps.deleted"];
    let expected = [
        (body, "scale"),
        (body, "watch"),
        (steps, "phone"),
        (steps, "unknown"),
        (steps, "watch"),
    ];
    assert_eq!(found, expected.map(|(kind, source)| format!("{kind} {source}")));
}

#[tokio::test]
async fn one_time_twice_in_a_line_is_the_last_value_in_reads_and_events() {
    let world = world().await;
    let at = |value: u64, kind: &str| json!({"timestamp": "2026-05-01T10:00:00Z", "value": value, "type": kind});
    let data = [at(1, "a"), at(2, "b"), at(3, "a"), sample_of("2026-05-02", 4)];
    let expected = [
        json!({"timestamp": "2026-05-01T10:00:00Z", "value": 2, "unit": "count", "type": "b"}),
        json!({"timestamp": "2026-05-01T10:00:00Z", "value": 3, "unit": "count", "type": "a"}),
        sample_of("2026-05-02", 4),
    ];
    let pull = json!({"id": "p", "chunk": 1, "chunks": 1});
    let of = |pull: Option<&Value>, resource: &str| {
        let mut fields = json!({"data": data, "resource": resource});
        if let Some(pull) = pull {
            fields["pull"] = pull.clone();
        }
        arrival("data", fields)
    };
    let (daily, pulled) = (of(None, "steps"), of(Some(&pull), "wheelchair_push"));
    let all = [daily.clone(), daily, pulled.clone(), pulled];
    assert_eq!(ingest(&world, &all).await, [Taken, Duplicate, Taken, Duplicate]);
    for payload in payloads(&world).await {
        assert_eq!(payload["data"]["data"], json!(expected.clone().map(in_event)));
    }
    for resource in ["steps", "wheelchair_push"] {
        let mut found = samples(&world, resource).await;
        found.sort_by_key(|sample| sample["value"].as_u64());
        assert_eq!(found, expected);
    }
}
