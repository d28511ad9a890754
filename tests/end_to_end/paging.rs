//! Page streams of each paging style.

use futures_util::TryStreamExt;
use wearlab_client::Error;
use wearlab_models::{Environment, Region, Uuid};
use wearlab_tests::Running;
use wearlab_tests::pipelines::{KEY, ORGANISATION, team_id, teams};

#[tokio::test]
async fn users_by_offset() {
    let running = Running::start(60).await;
    let client = running.client();
    let whole = client
        .list_users()
        .limit(500)
        .send()
        .await
        .expect("all users")
        .into_inner();
    for limit in [1, 7, 500] {
        let walked: Vec<_> = client
            .list_users()
            .limit(limit)
            .stream()
            .try_collect()
            .await
            .expect("all pages");
        assert_eq!(walked, whole.users, "limit {limit}");
    }
    let rest: Vec<_> = client
        .list_users()
        .limit(10)
        .offset(25)
        .stream()
        .try_collect()
        .await
        .expect("the rest");
    assert_eq!(rest, whole.users[25..]);
    let pages: Vec<_> = client
        .list_users()
        .limit(10)
        .pages()
        .try_collect()
        .await
        .expect("all pages");
    assert!(pages.iter().all(|page| page.total == whole.total));
    assert_eq!(pages.len(), whole.users.len().div_ceil(10));
    let beyond = client
        .list_users()
        .offset(1_000_000_000)
        .send()
        .await
        .expect("an empty page");
    assert!(beyond.users.is_empty());
    let ordered = whole
        .users
        .is_sorted_by_key(|user| (user.created_on, user.user_id.to_string()));
    assert!(ordered, "by created_on, then user_id");
}

#[tokio::test]
async fn markers_by_page() {
    let running = Running::start(5).await;
    let client = running.client();
    let markers = client.list_lab_test_markers(&running.sample.lab_test_id);
    let whole = markers
        .clone()
        .size(100)
        .send()
        .await
        .expect("all markers")
        .into_inner();
    assert!(whole.markers.len() > 50, "more than a page of the default size");
    for size in [1, 9, 50] {
        let walked: Vec<_> = markers
            .clone()
            .size(size)
            .stream()
            .try_collect()
            .await
            .expect("all pages");
        assert_eq!(walked, whole.markers, "size {size}");
    }
    let second = markers.page(2).send().await.expect("the second page");
    assert_eq!((second.page, second.size), (2, 50));
    assert_eq!(second.markers, whole.markers[50..]);
}

#[tokio::test]
async fn pipelines_by_cursor() {
    let running = Running::start(5).await;
    let (env, region) = (Environment::Production, Region::Eu);
    teams(&running.store, env, region, 120).await;
    let client = wearlab_client::Client::builder()
        .base_url(&running.url)
        .management_key(KEY)
        .build()
        .expect("a client");
    let call = client.list_team_pipelines(ORGANISATION, env, region);
    let pages: Vec<_> = call.clone().pages().try_collect().await.expect("all pages");
    assert_eq!(
        pages.iter().map(|page| page.pipelines.len()).collect::<Vec<_>>(),
        [50, 50, 20]
    );
    assert_eq!(
        pages.iter().map(|page| page.next_cursor.is_some()).collect::<Vec<_>>(),
        [true, true, false]
    );
    let ids: Vec<_> = pages
        .iter()
        .flat_map(|page| &page.pipelines)
        .map(|pipeline| pipeline.team_id)
        .collect();
    assert_eq!(ids, (1..=120).map(team_id).collect::<Vec<_>>());

    let one = call.clone().team_id(ids[7]).send().await.expect("one team's");
    let found: Vec<_> = one.pipelines.iter().map(|pipeline| pipeline.team_id).collect();
    assert_eq!(found, [ids[7]]);
    assert_eq!(one.next_cursor, None, "it is the only one");
    for stranger in [running.sample.other_organisation.team.team_id, Uuid::nil()] {
        let none = call.clone().team_id(stranger).send().await.expect("nobody's");
        assert!(none.pipelines.is_empty(), "a team of another organisation, or none");
        assert_eq!(none.next_cursor, None);
    }

    // A cursor of another listing is invalid in this one.
    let cursor = pages[0].next_cursor.clone().expect("a cursor");
    let foreign = client
        .list_team_pipelines(ORGANISATION, env, Region::Us)
        .next_cursor(cursor.as_str())
        .send()
        .await;
    assert!(matches!(foreign, Err(Error::Invalid(_))));
    let forged = call.next_cursor(format!("{cursor}0")).send().await;
    assert!(matches!(forged, Err(Error::Invalid(_))));
}
