//! Audit log over HTTP.

use serde_json::{Value, json};
use wearlab_store::KeyHash;
use wearlab_tests::Running;

use super::Admin;

#[tokio::test]
async fn each_write_is_an_entry_by_ids_alone() {
    let running = Running::start(5).await;
    let admin = Admin::of(&running);
    let start = admin.get("/audit_log").await.ok(200);
    assert_eq!(start, json!({"entries": [], "last": 0}));
    let body = json!({"environment": "sandbox", "region": "eu"});
    let headers = [("x-request-id", "the-request")];
    let team = admin
        .send(reqwest::Method::POST, "/teams", &headers, Some(&body))
        .await
        .ok(201);
    let key = json!({"team_id": team["team_id"], "name": "a secret name"});
    let key = admin.post("/keys", &key).await.ok(201);
    let own = admin.post("/keys", &json!({})).await.ok(201);
    admin
        .delete(&format!("/keys/{}", key["key_id"].as_str().expect("an id")))
        .await
        .ok(204);
    // A refusal, a read and a repeat are not writes.
    assert_eq!(admin.post("/teams", &json!({})).await.status, 422);
    assert_eq!(admin.delete("/keys/none").await.status, 404);

    let log = admin.get("/audit_log").await.ok(200);
    let entries = log["entries"].as_array().expect("entries");
    let seen: Vec<_> = entries
        .iter()
        .map(|entry| json!([entry["operation"], entry["team_id"], entry["subject"]]))
        .collect();
    assert_eq!(
        Value::from(seen),
        json!([
            ["create_team", team["team_id"], team["team_id"]],
            ["create_key", team["team_id"], key["key_id"]],
            ["create_key", null, own["key_id"]],
            ["revoke_key", team["team_id"], key["key_id"]],
        ])
    );
    let by = KeyHash::of(&running.sample.management_key).id();
    assert!(entries.iter().all(|entry| entry["key_id"] == by));
    assert_eq!(entries[0]["request_id"], "the-request");
    assert!(!log.to_string().contains("secret"), "{log}");
    let numbers: Vec<_> = entries
        .iter()
        .map(|entry| entry["number"].as_i64().expect("a number"))
        .collect();
    assert!(numbers.is_sorted() && log["last"] == numbers[3], "{log}");

    // In pages, and for one team.
    let first = admin.get("/audit_log?limit=1").await.ok(200);
    assert_eq!(first, json!({"entries": [entries[0]], "last": numbers[0]}));
    let rest = admin.get(&format!("/audit_log?after={}", numbers[0])).await.ok(200);
    assert_eq!(rest["entries"], Value::from(&entries[1..]));
    let end = admin.get(&format!("/audit_log?after={}", numbers[3])).await.ok(200);
    assert_eq!(end, json!({"entries": [], "last": numbers[3]}));
    let of_team = format!("/audit_log?team_id={}", team["team_id"].as_str().expect("an id"));
    let of_team = admin.get(&of_team).await.ok(200);
    assert_eq!(
        of_team,
        json!({"entries": [entries[0], entries[1], entries[3]], "last": numbers[3]})
    );
    let back = admin.get("/audit_log?before=9000000000&limit=3").await.ok(200);
    assert_eq!(
        back,
        json!({"entries": [entries[3], entries[2], entries[1]], "last": numbers[1]})
    );
    let start = admin.get(&format!("/audit_log?before={}", numbers[1])).await.ok(200);
    assert_eq!(start, json!({"entries": [entries[0]], "last": numbers[0]}));
    let between = admin
        .get(&format!("/audit_log?before={}&after={}", numbers[3], numbers[0]))
        .await;
    assert_eq!(between.ok(200)["entries"], json!([entries[2], entries[1]]));
    let theirs = running.sample.other_organisation.team.team_id;
    let theirs = admin.get(&format!("/audit_log?team_id={theirs}")).await.ok(200);
    assert_eq!(theirs["entries"], json!([]));
}

#[tokio::test]
async fn a_repeat_is_no_entry_of_its_own() {
    let running = Running::start(5).await;
    let admin = Admin::of(&running);
    for _ in 0..3 {
        admin.repeatable("/keys", "once", &json!({})).await.ok(201);
    }
    let log = admin.get("/audit_log").await.ok(200);
    assert_eq!(log["entries"].as_array().map(Vec::len), Some(1));
}
