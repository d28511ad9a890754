//! Sleep cycles and hypnograms: events, and the deprecated form of hypnograms.

use serde_json::json;
use wearlab_store::Ingested;

use crate::arriving::{
    ALL_FORMS, NO_FORMS, arrival, cycle, ingest_with, ingestion, payloads, stage, try_ingest, types, world,
};
use crate::place::count;
use Ingested::{Duplicate, Taken};

#[tokio::test]
async fn sleep_cycles_carry_their_hypnogram_and_the_older_event_is_sent_on_request() {
    let sleep = arrival("data", json!({"resource": "sleep_cycle", "data": [cycle(1), cycle(2)]}));
    let mut corrected = cycle(1);
    corrected["score"] = json!(82);
    let later = arrival("data", json!({"resource": "sleep_cycle", "data": [corrected]}));
    let (cycles, older) = ("daily.data.sleep_cycle", "daily.timeseries.hypnogram");
    for (forms, kinds) in [(NO_FORMS, &[cycles][..]), (ALL_FORMS, &[cycles, older])] {
        let world = world().await;
        ingest_with(&world, &[sleep.clone(), later.clone()], forms).await;
        let verbs = ["created", "updated"];
        let expected = verbs
            .iter()
            .flat_map(|verb| kinds.iter().map(move |kind| format!("{kind}.{verb}")));
        let expected: Vec<_> = expected.collect();
        assert_eq!(types(&world).await, expected);
        let payloads = payloads(&world).await;
        assert_eq!(payloads[0]["data"]["data"][1]["hypnogram"][1]["stage"], "deep");
        assert_eq!(
            payloads[0]["data"]["data"][1]["score"], 81,
            "what the document does not name is kept"
        );
        if kinds.len() > 1 {
            assert_eq!(
                payloads[1]["data"]["data"].as_array().map(Vec::len),
                Some(4),
                "stages of both cycles"
            );
        }
    }
}

#[tokio::test]
async fn hypnograms_are_sent_on_request_alone() {
    let hypnogram = arrival(
        "data",
        json!({"resource": "hypnogram", "data": [stage("22:00", "rem")]}),
    );
    let chunk = arrival(
        "data",
        json!({"resource": "hypnogram", "data": [stage("22:00", "rem")], "pull": {"id": "p", "chunk": 1, "chunks": 1}}),
    );
    let world = world().await;
    assert_eq!(
        ingest_with(&world, &[hypnogram.clone(), hypnogram.clone()], ALL_FORMS).await,
        [Taken, Duplicate]
    );
    assert_eq!(types(&world).await, ["daily.timeseries.hypnogram.created"]);

    // It would cause no event.
    let world = crate::arriving::world().await;
    for arrival in [hypnogram, chunk] {
        let refused = try_ingest(&world.store, &arrival, &ingestion(NO_FORMS)).await;
        let message = refused.expect_err("is refused").to_string();
        assert!(
            message.contains("send sleep_cycle values") && message.contains("events.deprecated.hypnogram_events"),
            "{message}"
        );
    }
    for table in ["days", "pulls", "events"] {
        assert_eq!(count(world.directory.path(), table).await, 0, "{table}");
    }
}
