//! Keys over HTTP.

use serde_json::{Value, json};
use wearlab_models::Uuid;
use wearlab_store::KeyHash;
use wearlab_tests::Running;

use super::{Admin, is_in_files, read_as};

#[tokio::test]
async fn a_key_is_shown_once_and_works_at_once() {
    let running = Running::start(5).await;
    let admin = Admin::of(&running);
    let team = running.sample.team_id;
    let body = json!({"team_id": team, "name": "mobile app", "scopes": ["write", "read", "write"]});
    let created = admin.repeatable("/keys", "the-first", &body).await;
    assert_eq!(created.headers["cache-control"], "no-store");
    let location = created.location().to_owned();
    let mut created = created.ok(201);
    let key = created["key"].as_str().expect("the key").to_owned();
    assert!(key.starts_with("wl_team_") && key.len() == 40, "{key}");
    assert_eq!(created["key_id"], KeyHash::of(&key).id());
    assert_eq!(created["scopes"], json!(["read", "write"]));
    assert_eq!(
        location,
        admin.path(&format!("/keys/{}", created["key_id"].as_str().expect("an id")))
    );
    assert_eq!(read_as(&running, &key).await, 200);

    // Reads and lists of the key are the same, without the key itself.
    created.as_object_mut().expect("an object").remove("key");
    assert_eq!(admin.get(&location).await.ok(200), created);
    let listed = admin.get("/keys?limit=500").await.ok(200);
    assert!(listed["keys"].as_array().expect("keys").contains(&created));
    let log = admin.get("/audit_log").await.ok(200);
    for shown in [listed, log] {
        assert!(!shown.to_string().contains(&key), "{shown}");
    }
    // The kept response is encrypted, and the store has only the key's hash.
    assert!(!is_in_files(&running, &key));
    assert!(is_in_files(&running, "mobile app"), "the files are those of the store");
    let again = admin.repeatable("/keys", "the-first", &body).await.ok(201);
    assert_eq!(again["key"], key);
}

#[tokio::test]
async fn a_key_does_not_show_in_debug() {
    let running = Running::start(5).await;
    let client = running.client();
    let call = client.create_key(&running.sample.org_id, wearlab_models::NewKey::builder().build());
    let created = call.send().await.expect("a key");
    let shown = format!("{created:?}");
    assert!(!shown.contains(created.key.expose()), "{shown}");
}

#[tokio::test]
async fn a_management_key_administers_with_the_scopes_that_it_was_given() {
    let running = Running::start(5).await;
    let admin = Admin::of(&running);
    let created = admin.post("/keys", &json!({"scopes": ["admin"]})).await.ok(201);
    let key = created["key"].as_str().expect("the key");
    assert!(key.starts_with("wl_mgmt_"), "{key}");
    assert_eq!(created["org_id"], *admin.org);
    let made = admin.with(key);
    let refused = made.get("/teams").await;
    assert_eq!(
        (refused.status, &refused.body["detail"]),
        (403, &json!("The credential lacks a scope: read."))
    );
    // A key can grant scopes that it lacks itself.
    let reader = made.post("/keys", &json!({})).await.ok(201);
    assert_eq!(reader["scopes"], json!(["read"]));
    let reader = admin.with(reader["key"].as_str().expect("the key"));
    reader.get("/teams").await.ok(200);
    let refused = reader.post("/keys", &json!({})).await;
    assert_eq!(
        (refused.status, &refused.body["detail"]),
        (403, &json!("The credential lacks a scope: admin."))
    );
}

#[tokio::test]
async fn a_key_revokes_others_and_itself() {
    let running = Running::start(5).await;
    let admin = Admin::of(&running);
    let team = admin
        .post("/keys", &json!({"team_id": running.sample.team_id}))
        .await
        .ok(201);
    let key = team["key"].as_str().expect("the key");
    let path = format!("/keys/{}", team["key_id"].as_str().expect("an id"));
    assert_eq!(read_as(&running, key).await, 200);
    let tag = admin.get(&path).await.headers["etag"]
        .to_str()
        .expect("text")
        .to_owned();
    let stale = admin
        .send(reqwest::Method::DELETE, &path, &[("if-match", "\"other\"")], None)
        .await;
    assert_eq!(stale.status, 412);
    assert_eq!(read_as(&running, key).await, 200);
    let current = admin
        .send(reqwest::Method::DELETE, &path, &[("if-match", &tag)], None)
        .await;
    assert_eq!(current.status, 204);
    assert_eq!(read_as(&running, key).await, 401);
    let revoked = admin.get(&path).await.ok(200);
    assert!(revoked["revoked_on"].is_string(), "{revoked}");
    // A repeat changes nothing.
    assert_eq!(admin.delete(&path).await.status, 204);
    assert_eq!(admin.get(&path).await.ok(200), revoked);

    let own = admin.post("/keys", &json!({"scopes": ["admin"]})).await.ok(201);
    let suicidal = admin.with(own["key"].as_str().expect("the key"));
    let path = format!("/keys/{}", own["key_id"].as_str().expect("an id"));
    assert_eq!(suicidal.delete(&path).await.status, 204);
    assert_eq!(suicidal.delete(&path).await.status, 401);
}

#[tokio::test]
async fn what_is_wrong_with_a_key_is_located() {
    let running = Running::start(5).await;
    let admin = Admin::of(&running);
    let before = admin.get("/keys?limit=500").await.ok(200);
    let theirs = running.sample.other_organisation.team.team_id;
    let cases: [(Value, &[&str]); 9] = [
        (json!({"team_id": theirs}), &["/body/team_id"]),
        (json!({"team_id": Uuid::nil()}), &["/body/team_id"]),
        (json!({"team_id": "mine"}), &["/body/team_id"]),
        (json!({"scopes": []}), &["/body/scopes"]),
        (
            json!({"scopes": ["read", "root", "hush"]}),
            &["/body/scopes/1", "/body/scopes/2"],
        ),
        (json!({"name": "a\nb"}), &["/body/name"]),
        (json!({"name": "x".repeat(201)}), &["/body/name"]),
        (json!({"nmae": "hush", "key": "hush"}), &["/body/key", "/body/nmae"]),
        (json!([]), &["/body"]),
    ];
    for (body, locations) in cases {
        let refused = admin.post("/keys", &body).await;
        let mut found = refused.locations();
        found.sort_unstable();
        assert_eq!(found, locations, "{body}");
        assert!(!refused.body.to_string().contains("hush"), "{}", refused.body);
    }
    // A team of another organisation is refused like a missing one.
    let said = async |team: Uuid| {
        let refused = admin.post("/keys", &json!({"team_id": team})).await;
        refused.body["errors"].clone()
    };
    assert_eq!(said(theirs).await, said(Uuid::nil()).await);
    assert_eq!(admin.get("/keys?limit=500").await.ok(200), before);
}
