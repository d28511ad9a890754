//! Pages of samples during corrections: none is repeated, none is lost.

use serde_json::{Value, json};
use wearlab_models::Sample;
use wearlab_tests::Running;

use super::{DATE, END, ingest, ingest_of, someone};

/// Number of samples of a day, four seconds apart from midnight on.
const COUNT: usize = 21_000;

fn at(number: usize) -> String {
    let (minute, second) = (number / 15, number % 15 * 4);
    format!("2026-04-01T{:02}:{:02}:{second:02}Z", minute / 60, minute % 60)
}

fn sample(number: usize, value: usize) -> Value {
    json!({"timestamp": at(number), "value": value})
}

/// Counts the samples that existed from the beginning.
fn whole(read: &[Sample]) -> usize {
    let whole = read
        .iter()
        .filter(|sample| sample.timestamp.timestamp_subsec_millis() == 0);
    whole.count()
}

#[tokio::test(flavor = "multi_thread")]
async fn corrections_between_pages_neither_repeat_nor_lose_a_sample() {
    let running = Running::start(5).await;
    let (client, user) = (running.client(), someone(&running).await);
    let all: Vec<_> = (0..COUNT).map(|number| sample(number, 1)).collect();
    for part in all.chunks(3_000) {
        ingest(&running, user, "heartrate", json!(part)).await;
    }
    let mut pages = client.list_samples(user, "heartrate", DATE).end_date(END).pages();
    let mut read: Vec<Sample> = Vec::new();
    let mut sizes = Vec::new();
    while let Some(page) = pages.try_next().await.expect("a page") {
        let groups = page.groups.values().flatten();
        let samples: Vec<_> = groups.flat_map(|group| group.data.clone()).collect();
        sizes.push(samples.len());
        read.extend(samples);
        // Corrections of samples before and after the end of the page, and new samples on both sides.
        let end = whole(&read);
        let mut values = vec![sample(end - 1, 2), sample(end - 500, 2)];
        if end + 500 < COUNT {
            values.extend([sample(end, 2), sample(end + 499, 2)]);
        }
        let between = |number: usize| json!({"timestamp": at(number).replace('Z', ".500Z"), "value": 3});
        values.extend([between(end - 2), between(end + 1)]);
        ingest(&running, user, "heartrate", json!(values)).await;
    }
    // New samples after the first two pages are in the next ones.
    assert_eq!(sizes, [10_000, 10_000, COUNT - 20_000 + 2]);
    assert!(
        read.is_sorted_by(|one, next| one.timestamp < next.timestamp),
        "each once"
    );
    let value = |number: usize| {
        let time = at(number).parse::<chrono::DateTime<chrono::Utc>>().expect("a time");
        let found = read.iter().find(|sample| sample.timestamp == time);
        found.map(|sample| sample.value)
    };
    let whole = read
        .iter()
        .filter(|sample| sample.timestamp.timestamp_subsec_millis() == 0);
    assert_eq!(whole.count(), COUNT, "none is lost");
    assert_eq!(
        (value(10_000), value(10_499)),
        (Some(2.0), Some(2.0)),
        "corrected before they were read"
    );
    assert_eq!(
        (value(9_999), value(9_500)),
        (Some(1.0), Some(1.0)),
        "corrected after they were read"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_item_of_a_stream_says_which_source_its_samples_are_of() {
    let running = Running::start(5).await;
    let (client, user) = (running.client(), someone(&running).await);
    for (source, value) in [("watch", 1), ("chest_strap", 2)] {
        let all: Vec<_> = (0..6_000).map(|number| sample(number, value)).collect();
        ingest_of(&running, user, "heartrate", source, json!(all)).await;
    }
    let mut stream = client.list_samples(user, "heartrate", DATE).end_date(END).stream();
    let mut read: Vec<(Option<String>, Option<f64>)> = Vec::new();
    while let Some(group) = stream.try_next().await.expect("a group") {
        let source = group.source.type_.clone();
        read.extend(group.data.iter().map(|sample| (source.clone(), Some(sample.value))));
    }
    let count = |source: &str, value: f64| {
        let wanted = (Some(source.to_owned()), Some(value));
        read.iter().filter(|found| **found == wanted).count()
    };
    assert_eq!((count("watch", 1.0), count("chest_strap", 2.0)), (6_000, 6_000));
    assert_eq!(read.len(), 12_000, "each once, over two pages");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cursor_of_another_list_is_refused() {
    let running = Running::start(5).await;
    let user = someone(&running).await;
    let all: Vec<_> = (0..10_001).map(|number| sample(number, 1)).collect();
    ingest(&running, user, "heartrate", json!(all)).await;
    let client = running.client();
    let page = client
        .list_samples(user, "heartrate", DATE)
        .end_date(END)
        .send()
        .await
        .expect("reads");
    let cursor = page.next_cursor.clone().expect("another page");
    let again = async |resource: &str, end: &str, cursor: &str| {
        let call = client
            .list_samples(user, resource, DATE)
            .end_date(end)
            .next_cursor(cursor);
        call.send().await.map(|page| page.groups.len())
    };
    assert_eq!(again("heartrate", END, &cursor).await.expect("reads"), 1);
    let mut forged = cursor.clone();
    let last = forged.pop().expect("a character");
    forged.push(if last == 'A' { 'B' } else { 'A' });
    for refused in [
        again("steps", END, &cursor).await,
        again("heartrate", DATE, &cursor).await,
        again("heartrate", END, &forged).await,
    ] {
        let shown = format!("{:?}", refused.expect_err("is refused"));
        assert!(shown.contains("422") && shown.contains("/query/next_cursor"), "{shown}");
    }
}
