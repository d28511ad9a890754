//! Samples that an earlier version stored with the type `unknown`, which is no type today.

use std::sync::Arc;

use serde_json::{Value, json};
use wearlab_store::Ingested::{Known, Taken};

use crate::arriving::{self, arrival, ingest};
use crate::repeats::samples;
use crate::world::{World, exported};

/// Writes the type of earlier versions.
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
        let mut samples = wearlab_store::decode_samples(&chunk).expect("a chunk");
        for sample in &mut samples {
            sample.kind.get_or_insert_with(|| Arc::from("unknown"));
        }
        let chunk = wearlab_store::encode_samples(&samples);
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
    assert_eq!(ingest(&world, &[both, of(&[dose(8, 10)])]).await, [Known, Known]);
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
