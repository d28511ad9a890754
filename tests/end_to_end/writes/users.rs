//! Users: created, changed, and completely deleted.

use serde_json::{Value, json};
use wearlab_client::Error;
use wearlab_models::{NewUser, User, UserChanges, Uuid};
use wearlab_tests::Running;

fn new(client_user_id: &str) -> NewUser {
    NewUser::builder().client_user_id(client_user_id).build()
}

#[tokio::test]
async fn a_user_is_created_changed_and_read() {
    let running = Running::start(5).await;
    let client = running.client();
    let created = client.create_user(new("member-1")).send().await.expect("a user");
    assert_eq!(created.status(), 201);
    let location = created.headers()["location"].to_str().expect("text").to_owned();
    let user = created.into_inner();
    assert_eq!(location, format!("/v2/user/{}", user.user_id));
    assert_eq!(user.team_id, running.sample.team_id);
    assert_eq!(
        (user.fallback_time_zone.id.as_str(), user.fallback_birth_date.as_ref()),
        ("UTC", None)
    );
    let read = client.get_user(user.user_id).send().await.expect("a user").into_inner();
    assert_eq!(read, user);
    let resolved = client
        .resolve_user("member-1")
        .send()
        .await
        .expect("a user")
        .into_inner();
    assert_eq!(resolved, user);

    let day = |text: &str| text.parse().expect("a day");
    let changes = UserChanges::builder()
        .client_user_id("member-2")
        .fallback_time_zone("Europe/Lisbon")
        .fallback_birth_date(Some(day("1990-01-01")))
        .ingestion_start(Some(day("2024-01-01")))
        .ingestion_end(Some(day("2024-12-31")))
        .build();
    client.update_user(user.user_id, changes).send().await.expect("changes");
    let read = client.get_user(user.user_id).send().await.expect("a user").into_inner();
    assert_eq!(read.client_user_id, "member-2");
    assert_eq!(read.fallback_time_zone.id, "Europe/Lisbon");
    assert_eq!(read.fallback_time_zone.source_slug, "manual");
    assert_eq!(
        read.fallback_birth_date.as_ref().map(|date| date.value),
        Some(day("1990-01-01"))
    );
    assert_eq!(
        (read.ingestion_start, read.ingestion_end),
        (Some(day("2024-01-01")), Some(day("2024-12-31")))
    );
    // A missing field stays unchanged, and null removes it.
    let changes = UserChanges::builder()
        .fallback_birth_date(None)
        .ingestion_end(None)
        .build();
    client.update_user(user.user_id, changes).send().await.expect("changes");
    let read = client.get_user(user.user_id).send().await.expect("a user").into_inner();
    assert_eq!((read.fallback_birth_date, read.ingestion_end), (None, None));
    assert_eq!(read.ingestion_start, Some(day("2024-01-01")));
    // Nothing changes.
    let before = client.get_user(user.user_id).send().await.expect("a user").into_inner();
    client
        .update_user(
            user.user_id,
            UserChanges::builder().fallback_time_zone("Europe/Lisbon").build(),
        )
        .send()
        .await
        .expect("changes");
    assert_eq!(
        client.get_user(user.user_id).send().await.expect("a user").into_inner(),
        before
    );
}

async fn refused(running: &Running, method: reqwest::Method, path: &str, body: Value) -> (u16, Value) {
    let request = wearlab_tests::http().request(method, format!("{}{path}", running.url));
    let request = request
        .header("x-service-api-key", &running.sample.team_api_key)
        .json(&body);
    let response = request.send().await.expect("a response");
    (response.status().as_u16(), response.json().await.expect("JSON"))
}

#[tokio::test]
async fn what_cannot_be_is_refused_with_its_place() {
    let running = Running::start(5).await;
    let path = format!("/v2/user/{}", running.sample.user_id);
    for (member, value) in [
        ("client_user_id", json!("ada@example.com")),
        ("client_user_id", json!("+47 912 34 567")),
        ("client_user_id", json!("")),
        ("client_user_id", json!("  ")),
        ("client_user_id", json!(7)),
        ("fallback_time_zone", json!("Europe/Atlantis")),
        ("fallback_time_zone", json!("europe/oslo")),
        ("fallback_birth_date", json!("2999-01-01")),
        ("fallback_birth_date", json!("01.02.1990")),
        ("ingestion_end", json!("2023-12-31")),
        ("ingestion_start", json!("yesterday")),
        ("surprise", json!(1)),
    ] {
        let mut body = json!({"client_user_id": "member-9", "ingestion_start": "2024-01-01"});
        body[member] = value;
        for (method, path) in [(reqwest::Method::POST, "/v2/user/"), (reqwest::Method::PATCH, &path)] {
            let (status, problem) = refused(&running, method.clone(), path, body.clone()).await;
            assert_eq!(status, 422, "{method} {body}: {problem}");
            assert_eq!(
                problem["errors"][0]["location"],
                format!("/body/{member}"),
                "{method} {body}: {problem}"
            );
            let message = problem["errors"][0]["message"].as_str().expect("a message");
            assert!(!message.contains("ada") && !message.contains("912"), "{message}");
        }
    }
    let unchanged = running.client().resolve_user("member-9").send().await;
    assert!(matches!(unchanged, Err(Error::NotFound(_))), "{unchanged:?}");
}

#[tokio::test]
async fn an_id_that_is_taken_is_a_conflict_that_names_the_user() {
    let running = Running::start(5).await;
    let client = running.client();
    let first = client
        .create_user(new("member-1"))
        .send()
        .await
        .expect("a user")
        .into_inner();
    let (status, problem) = refused(
        &running,
        reqwest::Method::POST,
        "/v2/user/",
        json!({"client_user_id": "member-1"}),
    )
    .await;
    assert_eq!(status, 409);
    assert_eq!(problem["conflict"], json!({"resource": "user", "id": first.user_id}));
    let second = client
        .create_user(new("member-2"))
        .send()
        .await
        .expect("a user")
        .into_inner();
    let path = format!("/v2/user/{}", second.user_id);
    let (status, problem) = refused(
        &running,
        reqwest::Method::PATCH,
        &path,
        json!({"client_user_id": "member-1"}),
    )
    .await;
    assert_eq!((status, &problem["conflict"]["id"]), (409, &json!(first.user_id)));
    // Users of another team do not conflict.
    let other = wearlab_tests::http()
        .post(format!("{}/v2/user", running.url))
        .header("x-service-api-key", &running.sample.other_team.team_api_key)
        .json(&json!({"client_user_id": "member-1"}));
    assert_eq!(other.send().await.expect("a response").status(), 201);
}

#[tokio::test]
async fn of_two_writers_the_second_is_told_that_it_has_read_too_early() {
    let running = Running::start(5).await;
    let client = running.client();
    let user = running.sample.user_id;
    let read = client.get_user(user).send().await.expect("a user");
    let tag = read.headers()["etag"].to_str().expect("text").to_owned();
    let zone = |zone: &str| UserChanges::builder().fallback_time_zone(zone).build();
    client
        .update_user(user, zone("Asia/Tokyo"))
        .if_match(&tag)
        .send()
        .await
        .expect("the first");
    let second = client.update_user(user, zone("Asia/Seoul")).if_match(&tag).send().await;
    assert_eq!(
        second.expect_err("too late").status().map(|status| status.as_u16()),
        Some(412)
    );
    let read: User = client.get_user(user).send().await.expect("a user").into_inner();
    assert_eq!(read.fallback_time_zone.id, "Asia/Tokyo");
}

#[tokio::test]
async fn a_connection_ends_and_its_data_stay() {
    let running = Running::start(5).await;
    let client = running.client();
    let user = running.sample.user_id;
    let sources = client
        .get_user(user)
        .send()
        .await
        .expect("a user")
        .into_inner()
        .connected_sources;
    let slug = sources[0].source.slug.clone();
    let count = async || {
        let list = client
            .list_user_providers(user)
            .send()
            .await
            .expect("providers")
            .into_inner();
        list.providers.len()
    };
    let before = count().await;
    let values = running
        .json(&format!(
            "/v2/summary/sleep/{user}?start_date=2026-04-01&end_date=2026-04-02"
        ))
        .await;
    let ended = client
        .disconnect_provider(user, &slug)
        .send()
        .await
        .expect("a success")
        .into_inner();
    assert!(ended.success);
    assert_eq!(count().await, before - 1);
    let user_now = client.get_user(user).send().await.expect("a user").into_inner();
    assert!(
        user_now
            .connected_sources
            .iter()
            .all(|source| source.source.slug != slug)
    );
    let after = running
        .json(&format!(
            "/v2/summary/sleep/{user}?start_date=2026-04-01&end_date=2026-04-02"
        ))
        .await;
    assert_eq!(after, values);
    let again = client.disconnect_provider(user, &slug).send().await;
    assert!(matches!(again, Err(Error::NotFound(_))), "{again:?}");
    let nobody = client.disconnect_provider(Uuid::nil(), &slug).send().await;
    assert!(matches!(nobody, Err(Error::NotFound(_))), "{nobody:?}");
}
