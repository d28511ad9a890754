//! Export of a user: complete, and only with the organisation's management key.

use serde_json::Value;
use wearlab_models::{UserChanges, Uuid};
use wearlab_store::{KeyRecord, KeyScope};
use wearlab_tests::{Running, undelivered};

use super::everything;

const MANAGEMENT: &str = "x-management-key";

fn url(running: &Running, org: &str, team: Uuid, user: Uuid) -> String {
    format!(
        "{}/v1/org/{org}/teams/{team}/users/{user}/export",
        running.management_url
    )
}

async fn get(url: &str, header: (&str, &str)) -> reqwest::Response {
    let request = wearlab_tests::http().get(url).header(header.0, header.1);
    request.send().await.expect("a response")
}

async fn records(running: &Running) -> Vec<Value> {
    let all = everything(running).await.into_iter();
    all.map(|record| serde_json::from_str(&record).expect("JSON")).collect()
}

async fn lines(response: reqwest::Response) -> Vec<Value> {
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "application/x-ndjson");
    let text = response.text().await.expect("text");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

#[tokio::test]
async fn all_that_is_held_about_a_user_is_exported_once() {
    let running = Running::start(12).await;
    let sample = &running.sample;
    let changes = UserChanges::builder().fallback_time_zone("Asia/Tokyo").build();
    running
        .client()
        .update_user(sample.user_id, changes)
        .send()
        .await
        .expect("a change");
    let line = serde_json::json!({"data": {"team_id": sample.team_id, "user_id": sample.user_id, "provider": "stridewell",
        "resource": "body", "date": "2026-04-09", "data": [{"weight": 71.50}]}});
    let taken = running
        .client()
        .ingest_arrivals(format!("{line}\n"))
        .send()
        .await
        .expect("a stream");
    let mut taken = taken.into_inner();
    while taken.try_next().await.expect("an acknowledgement").is_some() {}

    let read = wearlab_tests::http()
        .get(format!(
            "{}{}",
            running.url,
            running.path("/v3/order/{order_id}/requisition/pdf")
        ))
        .header("x-service-api-key", &sample.team_api_key);
    assert_eq!(read.send().await.expect("a response").status(), 200);
    let behind = undelivered::put(&running.store, sample.team_id, sample.user_id).await;
    let url = url(&running, &sample.org_id, sample.team_id, sample.user_id);
    let exported = lines(get(&url, (MANAGEMENT, &sample.management_key)).await).await;
    let (last, exported) = exported.split_last().expect("lines");
    assert_eq!(last["complete"]["lines"], exported.len());
    let user = sample.user_id.to_string();
    let of_user = |record: &&Value| {
        ["user", "connection", "device", "order", "values"]
            .iter()
            .any(|kind| record[kind].to_string().contains(&user))
    };
    let (mut held, mut found): (Vec<_>, Vec<_>) = (
        records(&running)
            .await
            .iter()
            .filter(of_user)
            .map(Value::to_string)
            .collect(),
        exported.iter().filter(of_user).map(Value::to_string).collect(),
    );
    held.sort();
    found.sort();
    assert!(
        held.iter().any(|record| record.starts_with("{\"values\"")),
        "there are values"
    );
    assert_eq!(found, held);
    let of = |kind: &str| exported.iter().filter(|line| !line[kind].is_null()).collect::<Vec<_>>();
    assert_eq!((of("resources").len(), of("pulls").len()), (1, 1));
    let events = of("event");
    assert!(
        events
            .iter()
            .any(|event| event["event"]["payload"]["event_type"] == "daily.data.body.created"),
        "{events:?}"
    );
    assert!(events.iter().all(|event| event.to_string().contains(&user)));
    let entries: Vec<_> = of("audit_entry").into_iter().map(|line| &line["audit_entry"]).collect();
    let operations: Vec<_> = entries.iter().map(|entry| entry["operation"].as_str()).collect();
    assert_eq!(
        operations,
        [Some("update_user"), Some("get_order_requisition")],
        "{entries:?}"
    );
    // The attempts to deliver each event are those of the list of its attempts.
    let attempts: Vec<_> = of("delivery_attempt")
        .into_iter()
        .map(|line| &line["delivery_attempt"])
        .collect();
    let mut listed = Vec::new();
    for event_id in &behind.event_ids {
        let path = format!("/v1/org/{}/events/{event_id}/attempts", sample.org_id);
        let list = running.json(&path).await;
        listed.extend(list["attempts"].as_array().expect("attempts").clone());
    }
    let found: Vec<_> = attempts.iter().map(|attempt| attempt["attempt"].clone()).collect();
    assert!(!listed.is_empty());
    assert_eq!(found, listed);
    let numbers: Vec<_> = events.iter().map(|event| &event["event"]["number"]).collect();
    assert!(
        attempts.iter().all(|attempt| numbers.contains(&&attempt["event"])),
        "{attempts:?}"
    );
    // No data of other users.
    let other = records(&running).await;
    let others = other
        .iter()
        .filter_map(|record| record["user"]["user_id"].as_str())
        .filter(|id| *id != user);
    let text: String = exported.iter().map(Value::to_string).collect();
    for id in others {
        assert!(!text.contains(id), "{id}");
    }
    // No data of a deleted user.
    running
        .client()
        .delete_user(sample.user_id)
        .send()
        .await
        .expect("a deletion");
    assert_eq!(get(&url, (MANAGEMENT, &sample.management_key)).await.status(), 404);
}

#[tokio::test]
async fn an_export_is_for_the_organisation_alone() {
    let running = Running::start(12).await;
    let sample = &running.sample;
    let other = &sample.other_organisation;
    let own = url(&running, &sample.org_id, sample.team_id, sample.user_id);
    let reader = KeyRecord {
        scopes: Some(
            [KeyScope::Read, KeyScope::Write, KeyScope::Ingest]
                .into_iter()
                .collect(),
        ),
        ..KeyRecord::of_organisation(&sample.org_id, "wl_mgmt_that_reads")
    };
    running
        .store
        .write(|write| write.put_key(&reader))
        .await
        .expect("a key");
    for (header, status) in [
        (("x-other", ""), 401),
        ((MANAGEMENT, "wl_mgmt_none"), 401),
        (("x-service-api-key", sample.team_api_key.as_str()), 401),
        ((MANAGEMENT, sample.team_api_key.as_str()), 401),
        ((MANAGEMENT, "wl_mgmt_that_reads"), 403),
        ((MANAGEMENT, other.management_key.as_str()), 404),
    ] {
        assert_eq!(get(&own, header).await.status(), status, "{header:?}");
    }
    let key = (MANAGEMENT, sample.management_key.as_str());
    for (org, team, user) in [
        ("org_none", sample.team_id, sample.user_id),
        (sample.org_id.as_str(), Uuid::nil(), sample.user_id),
        (sample.org_id.as_str(), sample.other_team.team_id, sample.user_id),
        (sample.org_id.as_str(), other.team.team_id, other.team.user_id),
        (sample.org_id.as_str(), sample.team_id, other.team.user_id),
        (sample.org_id.as_str(), sample.team_id, Uuid::nil()),
    ] {
        let response = get(&url(&running, org, team, user), key).await;
        assert_eq!(response.status(), 404, "{org} {team} {user}");
    }
    let invalid = own.replace(&sample.user_id.to_string(), "me");
    assert_eq!(get(&invalid, key).await.status(), 422);
}
