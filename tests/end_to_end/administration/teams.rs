//! Teams over HTTP.

use futures_util::TryStreamExt;
use serde_json::{Value, json};
use wearlab_client::Error;
use wearlab_models::Uuid;
use wearlab_tests::Running;

use super::Admin;

#[tokio::test]
async fn a_team_is_created_read_and_listed() {
    let running = Running::start(5).await;
    let admin = Admin::of(&running);
    let created = admin
        .post("/teams", &json!({"environment": "production", "region": "us"}))
        .await;
    let location = created.location().to_owned();
    let team = created.ok(201);
    assert_eq!(team["org_id"], *admin.org);
    assert_eq!(
        (&team["environment"], &team["region"]),
        (&json!("production"), &json!("us"))
    );
    assert_eq!(
        location,
        admin.path(&format!("/teams/{}", team["team_id"].as_str().expect("an id")))
    );
    assert_eq!(admin.get(&location).await.ok(200), team);
    let listed = admin.get("/teams").await.ok(200);
    let listed = listed["teams"].as_array().expect("teams");
    assert!(listed.contains(&team), "{listed:?}");
    let ids: Vec<_> = listed
        .iter()
        .map(|team| team["team_id"].as_str().expect("an id"))
        .collect();
    assert!(ids.is_sorted(), "{ids:?}");
    let own = [running.sample.team_id, running.sample.other_team.team_id].map(|id| id.to_string());
    assert!(own.iter().all(|own| ids.contains(&own.as_str())), "{ids:?}");
    assert_eq!(ids.len(), 3, "none of another organisation: {ids:?}");
}

#[tokio::test]
async fn a_chosen_id_is_taken_once() {
    let running = Running::start(5).await;
    let admin = Admin::of(&running);
    let id = Uuid::from_u128(0xabc);
    let team = json!({"environment": "sandbox", "region": "eu", "team_id": id});
    assert_eq!(admin.post("/teams", &team).await.ok(201)["team_id"], json!(id));
    let taken = admin.post("/teams", &team).await;
    assert_eq!(
        (taken.status, &taken.body["conflict"]),
        (409, &json!({"resource": "team", "id": id}))
    );
    // The response does not reveal that another organisation owns the team.
    let theirs = running.sample.other_organisation.team.team_id;
    let team = json!({"environment": "sandbox", "region": "eu", "team_id": theirs});
    let taken = admin.post("/teams", &team).await;
    assert_eq!(
        (taken.status, &taken.body["conflict"]),
        (409, &json!({"resource": "team"}))
    );
    assert_eq!(admin.get(&format!("/teams/{theirs}")).await.status, 404);
}

#[tokio::test]
async fn a_repeat_creates_no_second_team() {
    let running = Running::start(5).await;
    let admin = Admin::of(&running);
    let team = json!({"environment": "sandbox", "region": "eu"});
    let first = admin.repeatable("/teams", "a-key", &team).await;
    let location = first.location().to_owned();
    let first = first.ok(201);
    let again = admin.repeatable("/teams", "a-key", &team).await;
    assert_eq!((again.location(), &again.body), (location.as_str(), &first));
    let other = admin
        .repeatable("/teams", "a-key", &json!({"environment": "sandbox", "region": "us"}))
        .await;
    assert_eq!(other.locations(), ["/header/Idempotency-Key"]);
    assert_ne!(admin.repeatable("/teams", "another-key", &team).await.ok(201), first);
}

#[tokio::test]
async fn what_is_wrong_with_a_team_is_located() {
    let running = Running::start(5).await;
    let admin = Admin::of(&running);
    let good = json!({"environment": "sandbox", "region": "eu"});
    let with = |name: &str, value: Value| {
        let mut changed = good.clone();
        changed[name] = value;
        changed
    };
    for (body, location) in [
        (json!({"region": "eu"}), "/body/environment"),
        (with("environment", json!("staging")), "/body/environment"),
        (with("region", json!(null)), "/body/region"),
        (with("team_id", json!("mine")), "/body/team_id"),
        (with("name", json!("hush")), "/body/name"),
        (with("org_id", json!(admin.org)), "/body/org_id"),
    ] {
        let refused = admin.post("/teams", &body).await;
        assert_eq!(refused.locations(), [location], "{body}");
        assert!(!refused.body.to_string().contains("hush"), "{}", refused.body);
    }
    let before = admin.get("/teams").await.ok(200);
    assert_eq!(before["teams"].as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn teams_and_keys_are_walked_by_cursor() {
    let running = Running::start(5).await;
    let (client, sample) = (running.client(), running.sample.clone());
    for _ in 0..23 {
        let team = json!({"environment": "sandbox", "region": "eu"});
        let team = Admin::of(&running).post("/teams", &team).await.ok(201);
        let key = json!({"team_id": team["team_id"]});
        Admin::of(&running).post("/keys", &key).await.ok(201);
    }
    let teams = client
        .list_teams(&sample.org_id)
        .limit(500)
        .send()
        .await
        .expect("all")
        .teams
        .clone();
    let keys = client
        .list_keys(&sample.org_id)
        .limit(500)
        .send()
        .await
        .expect("all")
        .keys
        .clone();
    assert!(teams.len() == 25 && keys.len() > 25, "{} {}", teams.len(), keys.len());
    for limit in [1, 7, 25, 500] {
        let walked: Vec<_> = client
            .list_teams(&sample.org_id)
            .limit(limit)
            .stream()
            .try_collect()
            .await
            .expect("all");
        assert_eq!(walked, teams, "{limit}");
        let walked: Vec<_> = client
            .list_keys(&sample.org_id)
            .limit(limit)
            .stream()
            .try_collect()
            .await
            .expect("all");
        assert_eq!(walked, keys, "{limit}");
    }
    let one = client
        .list_keys(&sample.org_id)
        .team_id(teams[3].team_id)
        .send()
        .await
        .expect("one team's");
    assert!(!one.keys.is_empty() && one.keys.iter().all(|key| key.team_id == Some(teams[3].team_id)));
    for nobody in [sample.other_organisation.team.team_id, Uuid::nil()] {
        let none = client
            .list_keys(&sample.org_id)
            .team_id(nobody)
            .send()
            .await
            .expect("nobody's");
        assert!(none.keys.is_empty() && none.next_cursor.is_none());
    }
    // A cursor is only valid for its own list.
    let page = client.list_teams(&sample.org_id).limit(3).send().await.expect("a page");
    let cursor = page.next_cursor.clone().expect("a cursor");
    let other = client
        .list_keys(&sample.org_id)
        .next_cursor(cursor.as_str())
        .send()
        .await;
    assert!(matches!(other, Err(Error::Invalid(_))), "{other:?}");
    let forged = client
        .list_teams(&sample.org_id)
        .next_cursor(format!("{cursor}0"))
        .send()
        .await;
    assert!(matches!(forged, Err(Error::Invalid(_))), "{forged:?}");
}
