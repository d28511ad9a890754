//! Access control of lines by key.

use serde_json::{Value, json};
use wearlab_client::{Client, RetryPolicy};
use wearlab_models::Uuid;
use wearlab_store::{KeyHash, KeyRecord, KeyScope};
use wearlab_tests::Running;

use super::{all, data, shown};

const REASON: &str = "another team than that of the key";

fn user(team: Uuid, number: u128) -> Value {
    json!({"user": {"user_id": Uuid::from_u128(number), "team_id": team, "client_user_id": format!("client-{number}"),
        "created_on": "2026-01-02T03:04:05Z", "connected_sources": [],
        "fallback_time_zone": {"id": "Europe/Oslo", "source_slug": "manual", "updated_at": "2026-01-02T03:04:05Z"}}})
}

async fn import(client: &Client, records: &[Value]) -> Vec<Value> {
    let body: String = records.iter().map(|record| format!("{record}\n")).collect();
    let response = client.import_records(body).send().await.expect("a stream");
    all(response.into_inner()).await.iter().map(shown).collect()
}

/// Creates a client with one key.
fn client(running: &Running, key: (&str, &str)) -> Client {
    let builder = Client::builder()
        .base_url(&running.url)
        .management_url(&running.management_url)
        .retry(RetryPolicy::none());
    let builder = match key.0 {
        "team" => builder.api_key(key.1),
        _ => builder.management_key(key.1),
    };
    builder.build().expect("a client")
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_of_other_teams_are_refused_with_their_field() {
    let running = Running::start(5).await;
    let (sample, other) = (&running.sample, &running.sample.other_team);
    let body = data(&running, json!({"team_id": other.team_id})) + &data(&running, json!({"team_id": Uuid::nil()}));
    let response = running.client().ingest_arrivals(body).send().await.expect("a stream");
    for (line, number) in all(response.into_inner()).await.iter().zip(1..) {
        assert_eq!(
            shown(line),
            json!({"line": number, "field": "data.team_id", "reason": REASON})
        );
    }
    let team = client(&running, ("team", &sample.team_api_key));
    let key = |fields: Value| {
        let mut key = json!({"key": "wl_team_made_by_an_import", "scopes": ["admin"]});
        key.as_object_mut()
            .expect("an object")
            .extend(fields.as_object().expect("an object").clone());
        json!({ "key": key })
    };
    let acknowledged = import(
        &team,
        &[
            user(sample.team_id, 71),
            user(other.team_id, 72),
            key(json!({"team_id": other.team_id})),
            key(json!({"org_id": sample.org_id})),
            json!({"organisation": {"org_id": "org_new"}}),
            json!({"team": {"team_id": sample.team_id, "org_id": sample.org_id, "environment": "sandbox", "region": "us"}}),
            json!({"cancellation_reason": {"id": "r", "name": "Away", "is_refundable": true}}),
            json!({"lab_account": {"team_id": other.team_id, "lab_account_id": Uuid::from_u128(5), "visible": {}}}),
            key(json!({"team_id": sample.team_id})),
        ],
    )
    .await;
    let fields: Vec<_> = acknowledged
        .iter()
        .map(|line| line["field"].as_str().or(line["accepted"].as_str()).unwrap_or_default())
        .collect();
    let expected = [
        "user",
        "user.team_id",
        "key.team_id",
        "key.org_id",
        "organisation.org_id",
        "team.org_id",
        "cancellation_reason",
        "lab_account.team_id",
        "key",
    ];
    assert_eq!(fields, expected, "{acknowledged:#?}");
    assert!(acknowledged[6]["reason"].is_string(), "all organisations share reasons");
    // The imported objects exist, and the key works.
    let made = client(&running, ("team", "wl_team_made_by_an_import"));
    assert_eq!(import(&made, &[user(sample.team_id, 71)]).await[0]["accepted"], "user");
    let read = running
        .client()
        .get_user(Uuid::from_u128(71))
        .send()
        .await
        .expect("the user");
    assert_eq!(read.client_user_id, "client-71");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_management_key_imports_for_the_teams_of_its_organisation() {
    let running = Running::start(5).await;
    let sample = &running.sample;
    let strange = Uuid::from_u128(99);
    let put = running.store.write(|write| {
        write.put_organisation("org_strange")?;
        write.put_key(&KeyRecord {
            scopes: Some([KeyScope::Admin].into_iter().collect()),
            ..KeyRecord::of_organisation("org_strange", "wl_mgmt_of_a_stranger")
        })
    });
    put.await.expect("another organisation");
    let team = json!({"team": {"team_id": strange, "org_id": "org_strange", "environment": "sandbox", "region": "us"}});
    let stranger = client(&running, ("management", "wl_mgmt_of_a_stranger"));
    let own = client(&running, ("management", &sample.management_key));
    let fields = |acknowledged: Vec<Value>| -> Vec<String> {
        let field = |line: &Value| {
            line["field"]
                .as_str()
                .or(line["accepted"].as_str())
                .unwrap_or_default()
                .to_owned()
        };
        acknowledged.iter().map(field).collect()
    };
    let imported = import(&stranger, &[team.clone(), user(strange, 80), user(sample.team_id, 81)]).await;
    assert_eq!(fields(imported), ["team", "user", "user.team_id"]);
    // Also for a team that the same stream has created, and never for that of another.
    let stolen =
        json!({"team": {"team_id": strange, "org_id": sample.org_id, "environment": "sandbox", "region": "us"}});
    let nobody = user(Uuid::nil(), 83);
    let imported = import(
        &own,
        &[team, stolen, user(strange, 82), nobody, user(sample.team_id, 84)],
    )
    .await;
    assert_eq!(
        fields(imported),
        ["team.org_id", "team", "user.team_id", "user", "user"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_with_the_id_of_another_is_a_rejected_line_alone() {
    let running = Running::start(5).await;
    let sample = &running.sample;
    let own = client(&running, ("management", &sample.management_key));
    let key = |hash: String| json!({"key": {"team_id": sample.team_id, "hash": hash}});
    let of_another_team = String::from(KeyHash::of(&sample.other_team.team_api_key));
    let acknowledged = import(
        &own,
        &[
            key("ab".repeat(32)),
            key("ab".repeat(8) + &"0".repeat(48)),
            key(of_another_team[..16].to_owned() + &"0".repeat(48)),
            key(of_another_team),
            user(sample.team_id, 85),
        ],
    )
    .await;
    let refused = |number: i64| {
        let reason = "the key, or the first 16 digits of its hash, is taken: create another key";
        json!({"line": number, "field": "key", "reason": reason})
    };
    assert_eq!(acknowledged[0]["accepted"], "key");
    assert_eq!(acknowledged[1..4], [refused(2), refused(3), refused(4)]);
    assert_eq!(acknowledged[4]["accepted"], "user");
}
