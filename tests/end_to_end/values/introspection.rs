//! Sync status of data, by the client.

use serde_json::json;
use wearlab_client::Error;
use wearlab_models::{AttemptStatus, ResourceName};
use wearlab_tests::Running;

use super::{DATE, ingest, someone};

#[tokio::test(flavor = "multi_thread")]
async fn pages_go_through_all_users_and_show_what_came_of_one() {
    let running = Running::start(25).await;
    let (client, user) = (running.client(), someone(&running).await);
    ingest(
        &running,
        user,
        "steps",
        json!([{"timestamp": format!("{DATE}T10:00:00Z"), "value": 1}]),
    )
    .await;
    let mut users = client.list_introspected_resources().user_limit(7).stream();
    let mut seen = Vec::new();
    while let Some(introspected) = users.try_next().await.expect("a user") {
        if introspected.user_id == user {
            let steps = &introspected.provider["stridewell"][&ResourceName::Steps];
            let attempt = steps.last_attempt.as_ref().expect("one");
            assert_eq!(attempt.status, AttemptStatus::Success);
            assert_eq!(steps.newest_data.map(|day| day.to_string()).as_deref(), Some(DATE));
            assert_eq!(steps.sent_count, Some(1));
        }
        seen.push(introspected.user_id);
    }
    let mut listed = client.list_users().stream();
    let mut expected = Vec::new();
    while let Some(user) = listed.try_next().await.expect("a user") {
        expected.push(user.user_id);
    }
    assert_eq!(seen, expected);
    assert!(seen.contains(&user));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cursor_is_good_for_its_own_list() {
    let running = Running::start(5).await;
    let client = running.client();
    let page = client
        .list_historical_pulls()
        .user_limit(2)
        .send()
        .await
        .expect("a page")
        .into_inner();
    let cursor = page.next_cursor.expect("there are more");
    let next = client
        .list_historical_pulls()
        .next_cursor(&cursor)
        .send()
        .await
        .expect("a page")
        .into_inner();
    assert!(next.data.iter().all(|user| !page.data.contains(user)));
    let refused = [
        client
            .list_introspected_resources()
            .next_cursor(&cursor)
            .send()
            .await
            .map(drop),
        client
            .list_historical_pulls()
            .next_cursor(&cursor)
            .provider("stridewell")
            .send()
            .await
            .map(drop),
    ];
    for refused in refused {
        assert!(matches!(refused, Err(Error::Invalid(_))), "{refused:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_lists_its_own_users_alone() {
    let running = Running::start(25).await;
    let (client, user) = (running.client(), someone(&running).await);
    ingest(
        &running,
        user,
        "steps",
        json!([{"timestamp": format!("{DATE}T10:00:00Z"), "value": 1}]),
    )
    .await;
    let every = client
        .list_introspected_resources()
        .send()
        .await
        .expect("a page")
        .into_inner();
    for provider in ["stridewell", "bogus"] {
        let expected: Vec<_> = every
            .data
            .iter()
            .filter(|user| user.provider.contains_key(provider))
            .collect();
        let expected: Vec<_> = expected.into_iter().map(|user| user.user_id).collect();
        assert_eq!(expected.is_empty(), provider == "bogus");
        let mut users = client
            .list_introspected_resources()
            .provider(provider)
            .user_limit(2)
            .stream();
        let mut seen = Vec::new();
        while let Some(user) = users.try_next().await.expect("a user") {
            assert_eq!(user.provider.keys().collect::<Vec<_>>(), [provider]);
            seen.push(user.user_id);
        }
        assert_eq!(seen, expected, "{provider}");
        let pulls = client
            .list_historical_pulls()
            .provider(provider)
            .send()
            .await
            .expect("a page");
        assert!(
            pulls.data.iter().all(|user| user.provider.contains_key(provider)),
            "{provider}"
        );
        let one = client
            .list_introspected_resources()
            .provider(provider)
            .user_id(user)
            .send()
            .await;
        let one = one.expect("a page").into_inner();
        assert_eq!(one.data.len(), usize::from(provider != "bogus"), "{provider}");
    }
}
