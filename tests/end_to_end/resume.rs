//! Streams that stop anywhere and are resumed: in the three styles of paging, and after an error.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use wearlab_client::{Error, Items, Paged, Position};
use wearlab_models::{Environment, Page, Region, Uuid};
use wearlab_tests::Running;
use wearlab_tests::scripted::{Reply, Scripted};

type ItemOf<'a, C> = <<C as Paged<'a>>::Page as Page>::Item;

async fn rest<'a, C: Paged<'a>>(mut items: Items<'a, C>) -> Vec<ItemOf<'a, C>> {
    let mut rest = Vec::new();
    while let Some(item) = items.try_next().await.expect("a page") {
        rest.push(item);
    }
    assert!(items.position().is_none(), "the end is no place to go on at");
    assert!(items.try_next().await.expect("the end").is_none(), "it stays there");
    rest
}

/// Stops after each number of items, saves the position as text, and resumes in another stream.
async fn stops_anywhere<'a, C: Paged<'a>>(stream: impl Fn() -> Items<'a, C>) -> usize
where
    ItemOf<'a, C>: PartialEq + std::fmt::Debug,
    <C::Page as Page>::Position: Serialize + DeserializeOwned,
{
    let whole = rest(stream()).await;
    for taken in 0..whole.len() {
        let mut items = stream();
        for known in &whole[..taken] {
            assert_eq!(items.try_next().await.expect("a page").as_ref(), Some(known));
        }
        let kept = serde_json::to_string(&items.position().expect("a place")).expect("text");
        let position: Position<_> = serde_json::from_str(&kept).expect("the place");
        assert_eq!(
            rest(stream().resume_at(position)).await,
            whole[taken..],
            "after {taken}, at {kept}"
        );
    }
    whole.len()
}

#[tokio::test]
async fn by_offset_and_by_page() {
    let running = Running::start(23).await;
    let client = running.client();
    let total = client.list_users().send().await.expect("all users").users.len();
    assert!(total > 15, "{total} users");
    assert_eq!(stops_anywhere(|| client.list_users().limit(5).stream()).await, total);
    let late = stops_anywhere(|| client.list_users().limit(5).offset(8).stream()).await;
    assert_eq!(late, total - 8);
    let markers = client.list_lab_test_markers(&running.sample.lab_test_id);
    assert!(stops_anywhere(|| markers.clone().size(25).stream()).await > 50);
}

fn page(teams: &[u128], next: Option<&str>) -> Reply {
    let pipelines = teams.iter().map(|team| {
        json!({ "team_id": Uuid::from_u128(*team), "preferences": { "preferred": "svix", "enabled": ["svix"] },
            "push_historical_data": false, "provider_raw_data": false, "event_type_prefixes": [] })
    });
    let pipelines: Vec<_> = pipelines.collect();
    Reply::new(200, json!({ "pipelines": pipelines, "next_cursor": next }))
}

#[tokio::test]
async fn by_cursor_and_after_an_error() {
    let pages = [
        page(&[1, 2], Some("a")),
        Reply::new(500, ""),
        page(&[3, 4], Some("b")),
        page(&[], Some("c")),
        page(&[5], None),
    ];
    let service = Scripted::start(pages).await;
    let client = service.client();
    let call = client.list_team_pipelines("o", Environment::Sandbox, Region::Eu);
    let number = |pipeline: Option<wearlab_models::Pipeline>| pipeline.map(|pipeline| pipeline.team_id.as_u128());

    let mut items = call.clone().stream();
    assert_eq!(number(items.try_next().await.expect("the first")), Some(1));
    assert_eq!(service.count(), 1);
    assert_eq!(number(items.try_next().await.expect("the second")), Some(2));
    assert_eq!(
        service.count(),
        1,
        "the next page is asked for when its first item is wanted"
    );
    let error = items.try_next().await.expect_err("the service fails");
    assert!(matches!(error, Error::Server(_)));
    assert!(
        items.try_next().await.expect("nothing").is_none(),
        "a stream ends with an error"
    );
    let position = items.position().expect("it did not come to the end");

    let mut items = call.clone().stream().resume_at(position);
    for team in [3, 4, 5] {
        assert_eq!(number(items.try_next().await.expect("a page")), Some(team));
    }
    assert!(items.position().is_none());
    let cursors: Vec<_> = service
        .asked()
        .iter()
        .map(|asked| asked.uri.split_once('?').map(|(_, query)| query.to_owned()))
        .collect();
    let cursor = |name: &str| Some(format!("next_cursor={name}"));
    assert_eq!(cursors, [None, cursor("a"), cursor("a"), cursor("b"), cursor("c")]);
}

#[tokio::test]
async fn pages_say_where_the_next_one_begins() {
    let running = Running::start(12).await;
    let client = running.client();
    let mut pages = client.list_users().limit(5).pages();
    assert_eq!(pages.next_position(), None);
    let first = pages.try_next().await.expect("a page").expect("the first");
    assert_eq!(pages.next_position(), Some(&5));
    let mut rest = client.list_users().limit(5).offset(5).pages();
    let mut users = first.users;
    while let Some(page) = rest.try_next().await.expect("a page") {
        users.extend(page.users);
    }
    assert_eq!(rest.next_position(), None);
    let whole = client.list_users().send().await.expect("all");
    assert_eq!(users, whole.users);
}
