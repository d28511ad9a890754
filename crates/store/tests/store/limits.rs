//! Size limits of reads: pages that end early, lists by ids, sessions that are too long.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use uuid::Uuid;
use wearlab_ingest::ExactObject;
use wearlab_models::ResourceName;
use wearlab_store::{PageLimit, SampleFilter, SamplePage, SamplePosition, Store, SummaryList, TeamId, ValidArrival};

use crate::arriving::{self, USER, at, ingest};
use crate::world::World;

/// Length of each note.
const NOTE_LENGTH: usize = 10_000;

/// Returns notes of a day, each at a second of its own.
fn notes(seconds: impl IntoIterator<Item = u32>, mark: &str) -> ValidArrival {
    let note = |second: u32| {
        let time = format!("2026-05-01T10:{:02}:{:02}Z", second / 60, second % 60);
        json!({"timestamp": time, "value": format!("{second} {mark} {}", "x".repeat(NOTE_LENGTH))})
    };
    let data: Vec<_> = seconds.into_iter().map(note).collect();
    arriving::arrival("data", json!({"resource": "note", "data": data}))
}

async fn page(store: &Store, team: TeamId, after: Option<&SamplePosition>, limit: PageLimit) -> SamplePage {
    let filter = SampleFilter {
        resource: &ResourceName::Note,
        span: at("2026-05-01T00:00:00Z").timestamp_micros()..at("2026-05-02T00:00:00Z").timestamp_micros(),
        provider: None,
        after,
    };
    let page = store.team(team).samples(Uuid::from_u128(USER), &filter, limit).await;
    page.expect("reads").expect("a user")
}

/// Returns the beginning of a note: its second and its mark.
fn beginning(sample: &wearlab_ingest::Sample) -> String {
    let mut json = Vec::new();
    sample.write(&mut json);
    let sample: Value = serde_json::from_slice(&json).expect("JSON");
    let text = sample["value"].as_str().expect("text");
    text.rsplit_once(' ').expect("a mark").0.to_owned()
}

/// Reads all notes, in pages of a limit.
async fn walk(world: &World, limit: PageLimit) -> (Vec<String>, usize) {
    let (mut found, mut pages, mut after) = (Vec::new(), 0, None);
    loop {
        let page = page(&world.store, world.team, after.as_ref(), limit).await;
        let samples: Vec<_> = page.groups.iter().flat_map(|group| &group.samples).collect();
        let most = (limit.bytes / NOTE_LENGTH).clamp(1, limit.items);
        assert!((1..=most).contains(&samples.len()), "{} of {limit:?}", samples.len());
        found.extend(samples.into_iter().map(beginning));
        pages += 1;
        match page.next {
            Some(next) => after = Some(next),
            None => return (found, pages),
        }
    }
}

#[tokio::test]
async fn a_page_of_samples_ends_before_it_is_too_long_and_the_next_one_goes_on() {
    let world = arriving::world().await;
    let mut expected = BTreeMap::new();
    // Parts of a day that overlap and replace each other, before and after they are merged.
    for arrival in 0..40_u32 {
        let of: Vec<u32> = (0..3).map(|number| (arrival * 7 + number * 23) % 61).collect();
        let mark = format!("arrival {arrival}");
        ingest(&world, &[notes(of.clone(), &mark)]).await;
        for second in of {
            expected.insert(second, format!("{second} {mark}"));
        }
        if ![0, 3, 14, 15, 16, 39].contains(&arrival) {
            continue;
        }
        let expected: Vec<_> = expected.values().cloned().collect();
        for (items, bytes) in [
            (usize::MAX, usize::MAX),
            (7, usize::MAX),
            (1, usize::MAX),
            (usize::MAX, 5 * NOTE_LENGTH),
            (3, 8 * NOTE_LENGTH),
            // Less than one note.
            (usize::MAX, 1),
        ] {
            let (found, pages) = walk(&world, PageLimit { items, bytes }).await;
            assert_eq!(found, expected, "{items} items, {bytes} bytes");
            assert!(bytes > 5 * NOTE_LENGTH || pages * 5 >= found.len());
        }
    }
}

#[tokio::test]
async fn a_list_of_summaries_that_is_too_long_is_read_by_ids() {
    let world = arriving::world().await;
    let workout = |number: u128| {
        json!({"id": Uuid::from_u128(number), "provider_id": number.to_string(), "map": {"polyline": "x".repeat(NOTE_LENGTH)},
            "time_start": format!("2026-05-01T{number:02}:00:00Z"), "time_end": format!("2026-05-01T{number:02}:30:00Z")})
    };
    let data: Vec<_> = (0..10).map(workout).collect();
    ingest(
        &world,
        &[arriving::arrival("data", json!({"resource": "workouts", "data": data}))],
    )
    .await;
    let (reader, user) = (world.store.team(world.team), Uuid::from_u128(USER));
    let day = "2026-05-01".parse().expect("a day");
    let list = async |bytes, provider| {
        let list = reader
            .summary_list::<ExactObject>(user, &ResourceName::Workouts, day..=day, provider, bytes)
            .await;
        list.expect("reads").expect("a user")
    };
    let whole = match list(20 * NOTE_LENGTH, None).await {
        SummaryList::Whole(whole) => whole,
        SummaryList::Ids(_) => panic!("it is short"),
    };
    assert_eq!(whole.len(), 10);
    assert!(matches!(list(1, Some("pulsely")).await, SummaryList::Whole(none) if none.is_empty()));
    let SummaryList::Ids(ids) = list(10 * NOTE_LENGTH, None).await else {
        panic!("it is too long")
    };
    let some = async |ids: &[Uuid], bytes| {
        let some = reader
            .some_summaries::<ExactObject>(user, &ResourceName::Workouts, ids, bytes)
            .await;
        some.expect("reads")
    };
    let (mut found, mut at) = (Vec::new(), 0);
    while at < ids.len() {
        let (some, count) = some(&ids[at..], 4 * NOTE_LENGTH).await;
        assert_eq!((some.len(), count), (if at < 9 { 3 } else { 1 }, some.len()));
        found.extend(some);
        at += count;
    }
    assert!(found == whole, "the same, in the same order");
    assert_eq!(some(&ids[..2], 1).await.1, 1, "one alone, however long");
    // A summary that was deleted meanwhile is left out.
    let deletion = json!({"provider": "stridewell", "resource": "workouts", "id": ids[0]});
    ingest(&world, &[arriving::arrival("data_deleted", deletion)]).await;
    let (left, count) = some(&ids[..2], usize::MAX).await;
    assert_eq!((left.len(), count), (1, 2));
    assert!(left[0] == whole[1]);
}

#[tokio::test]
async fn a_session_with_too_many_samples_is_not_read() {
    let world = arriving::world().await;
    let id = Uuid::from_u128(77);
    let workout = json!({"id": id, "provider_id": "one", "time_start": "2026-05-01T10:00:00Z",
        "time_end": "2026-05-01T11:00:00Z"});
    ingest(
        &world,
        &[arriving::arrival(
            "data",
            json!({"resource": "workouts", "data": [workout]}),
        )],
    )
    .await;
    ingest(&world, &[notes(0..10, "first"), arriving::day("2026-05-01", 1)]).await;
    let reader = world.store.team(world.team);
    let session = reader.sessions(&ResourceName::Workouts, id).await.expect("reads").pop();
    let session = session.expect("a session");
    let read = async |bytes| {
        let samples = reader.session_samples(&session, bytes).await;
        samples
            .expect("reads")
            .map(|samples| samples.iter().map(|(_, samples)| samples.len()).sum::<usize>())
    };
    assert_eq!(read(usize::MAX).await, Some(11));
    assert_eq!(read(12 * NOTE_LENGTH).await, Some(11));
    assert_eq!(read(9 * NOTE_LENGTH).await, None);
    assert_eq!(read(1).await, None);
}
