//! Samples of an earlier version with the type `unknown`, which is absent today.

use std::sync::Arc;

use serde_json::{Value, json};
use uuid::Uuid;
use wearlab_models::ResourceName;
use wearlab_store::Ingested::{Duplicate, Taken};
use wearlab_store::{SampleFilter, SamplePosition};

use crate::arriving::{self, USER, arrival, ingest};
use crate::repeats::samples;
use crate::world::{World, exported};

/// Replaces the types with that of earlier versions.
fn age(world: &World) {
    let raw = wearlab_checksum_vfs::open(
        world.directory.path().join("wearlab.db"),
        rusqlite::OpenFlags::default(),
    )
    .expect("a database");
    let mut rows = raw.prepare("SELECT id, chunk FROM samples").expect("samples");
    let rows = rows.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?)));
    let rows: Vec<_> = rows.expect("rows").map(|row| row.expect("a row")).collect();
    for (id, chunk) in rows {
        let mut samples = wearlab_samples::decode(&chunk).expect("a chunk");
        for sample in &mut samples {
            sample.kind.get_or_insert_with(|| Arc::from("unknown"));
        }
        let chunk = wearlab_samples::encode(&samples);
        raw.execute("UPDATE samples SET chunk = ?2 WHERE id = ?1", (id, chunk))
            .expect("ages");
    }
}

#[tokio::test]
async fn samples_of_an_earlier_version_are_known_and_corrected() {
    let world = arriving::world().await;
    let dose = |hour: u32, value: u64| json!({"timestamp": format!("2026-05-01T{hour:02}:00:00Z"), "value": value});
    let of = |doses: &[Value]| arrival("data", json!({"resource": "insulin_injection", "data": doses}));
    let both = of(&[dose(8, 10), dose(9, 4)]);
    assert_eq!(ingest(&world, std::slice::from_ref(&both)).await, [Taken]);
    age(&world);
    let values = async || {
        let found = samples(&world, "insulin_injection").await;
        let exported = exported(&world.store).await;
        let line = exported
            .iter()
            .find(|line| line.starts_with("{\"values\""))
            .expect("a line");
        let line: Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(line["values"]["data"], json!(found));
        assert!(found.iter().all(|dose| dose.get("type").is_none()));
        found.iter().map(|dose| dose["value"].as_u64()).collect::<Vec<_>>()
    };
    assert_eq!(values().await, [Some(10), Some(4)]);
    assert_eq!(
        ingest(&world, &[both, of(&[dose(8, 10)])]).await,
        [Duplicate, Duplicate]
    );
    assert_eq!(ingest(&world, &[of(&[dose(8, 11)])]).await, [Taken]);
    assert_eq!(values().await, [Some(11), Some(4)]);
    // Other series have no types.
    let steps = |more: Value| {
        let mut sample = json!({"timestamp": "2026-05-01T08:00:00Z", "value": 1});
        sample
            .as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("an object").clone());
        arrival("data", json!({"data": [sample]}))
    };
    assert_eq!(
        ingest(&world, &[steps(json!({})), steps(json!({"type": "unknown"}))]).await,
        [Taken, Taken]
    );
    assert_eq!(samples(&world, "steps").await.len(), 2);
}

/// The stored type sorts differently than an absent one, which reads show.
#[tokio::test]
async fn samples_of_an_earlier_version_come_once_in_pages_of_any_length() {
    let world = arriving::world().await;
    let types = [None, Some("rapid_acting"), Some("zinc"), Some("brand_new")];
    let doses = (0..30).flat_map(|hour| types.map(|kind| (hour, kind)));
    let doses: Vec<_> = doses
        .map(|(hour, kind)| {
            let (day, hour) = (1 + hour / 24, hour % 24);
            let mut dose = json!({"timestamp": format!("2026-05-{day:02}T{hour:02}:00:00Z"), "value": hour});
            if let Some(kind) = kind {
                dose["type"] = json!(kind);
            }
            dose
        })
        .collect();
    let lines: Vec<_> = doses
        .chunks(7)
        .map(|doses| arrival("data", json!({"resource": "insulin_injection", "data": doses})))
        .collect();
    assert_eq!(ingest(&world, &lines).await, vec![Taken; lines.len()]);
    let expected = samples(&world, "insulin_injection").await;
    assert_eq!(expected.len(), doses.len());
    age(&world);
    assert_eq!(samples(&world, "insulin_injection").await, expected);
    let resource = ResourceName::InsulinInjection;
    for limit in [1, 2, 3, 7, 50] {
        let (mut found, mut after) = (Vec::new(), None::<SamplePosition>);
        loop {
            let filter = SampleFilter {
                resource: &resource,
                span: i64::MIN / 2..i64::MAX / 2,
                provider: None,
                after: after.as_ref(),
            };
            let page = world
                .store
                .team(world.team)
                .samples(Uuid::from_u128(USER), &filter, limit)
                .await;
            let page = page.expect("reads").expect("the user");
            let samples = page.groups.into_iter().flat_map(|group| group.samples);
            let before = found.len();
            found.extend(samples.map(|sample| {
                let mut json = Vec::new();
                sample.write(&mut json);
                serde_json::from_slice::<Value>(&json).expect("JSON")
            }));
            assert!(found.len() - before <= limit, "pages of {limit}");
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(found, expected, "pages of {limit}");
    }
}
