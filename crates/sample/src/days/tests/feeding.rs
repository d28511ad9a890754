//! Tests of the arrivals, and of their effects in a store.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use wearlab_models::{ActivitySummary, ResourceName};
use wearlab_store::{Arrival, DataArrival, EventFilter, SampleFilter, Store, ValidArrival};

use super::super::backfill::Backfill;
use super::super::series::SERIES;
use super::super::summaries::SUMMARIES;
use super::super::{Feed, Span};
use super::{day, wearer};
use crate::{Sample, SampleOptions, feed_first, fill};

fn now() -> DateTime<Utc> {
    "2026-06-20T15:00:00Z".parse().expect("a time")
}

fn arrivals(index: u32, first: &str) -> Vec<DataArrival> {
    let wearer = wearer(index);
    let backfill = Backfill {
        wearer: &wearer,
        first: day(first),
        last: day("2026-06-20"),
        now: now().timestamp(),
    };
    let batches = backfill.batches().map(|batch| batch.expect("is made"));
    let arrivals = batches.flat_map(|batch| batch.arrivals);
    let data = arrivals.map(|arrival| match arrival {
        Arrival::Data(data) => data,
        other => panic!("{}", other.kind()),
    });
    data.collect()
}

#[test]
fn all_arrivals_are_valid_and_every_resource_is_there() {
    for index in 0..5 {
        let mut resources = BTreeSet::new();
        for data in arrivals(index, "2026-04-20") {
            resources.insert(data.resource.to_string());
            ValidArrival::try_from(Arrival::Data(data)).expect("is valid");
        }
        let summaries = SUMMARIES.iter().map(|(resource, _)| resource);
        let series = SERIES.iter().map(|(resource, _)| resource);
        let expected = summaries.chain(series).chain([&ResourceName::Profile]);
        let expected = expected.filter(|name| wearer(index).is_female || **name != ResourceName::MenstrualCycle);
        assert_eq!(resources, expected.map(ToString::to_string).collect());
    }
}

#[test]
fn pulls_are_complete_and_the_last_days_come_apart() {
    let mut chunks: BTreeMap<String, Vec<(u32, u32)>> = BTreeMap::new();
    let mut daily = BTreeSet::new();
    for data in arrivals(0, "2026-04-01") {
        match &data.pull {
            Some(pull) => {
                let of_resource = chunks.entry(data.resource.to_string()).or_default();
                of_resource.push((pull.chunk, pull.chunks));
            }
            None if data.resource == ResourceName::Heartrate => {
                daily.insert(data.date.to_string());
            }
            None => {}
        }
    }
    assert!(
        chunks.values().all(|chunks| *chunks == [(1, 3), (2, 3), (3, 3)]),
        "{chunks:?}"
    );
    let last = ["2026-06-18", "2026-06-19", "2026-06-20"];
    assert_eq!(daily, last.map(str::to_owned).into());
}

#[test]
fn a_day_does_not_depend_on_how_many_there_are() {
    let of_days = |first: &str| {
        let daily = arrivals(0, first).into_iter().filter(|data| data.pull.is_none());
        let daily = daily.filter(|data| data.date >= day("2026-06-18"));
        daily
            .map(|data| serde_json::to_string(&data).expect("JSON"))
            .collect::<Vec<_>>()
    };
    assert_eq!(of_days("2026-06-01"), of_days("2026-06-18"));
    assert!(of_days("2026-06-18").len() > 50);
}

async fn filled(users: u32) -> (tempfile::TempDir, Store, Sample) {
    let directory = tempfile::tempdir().expect("a directory");
    let store = Store::open(directory.path()).expect("a store");
    let sample = fill(&store, &SampleOptions { seed: 1, users }).await.expect("fills");
    (directory, store, sample)
}

/// Returns the number of events of each type.
async fn events(store: &Store) -> BTreeMap<String, usize> {
    let events = store.events(&EventFilter::default(), 100_000).await.expect("reads");
    let mut types = BTreeMap::new();
    for event in events {
        *types.entry(event.event_type.to_string()).or_default() += 1;
    }
    types
}

#[tokio::test]
async fn a_store_has_the_days_and_few_events() {
    let (_directory, store, sample) = filled(1).await;
    feed_first(&store, 40, now()).await.expect("is taken");
    let found = events(&store).await;
    let historical: Vec<_> = found
        .iter()
        .filter(|(name, _)| name.starts_with("historical."))
        .collect();
    assert_eq!(historical.len(), SUMMARIES.len() + SERIES.len(), "{historical:?}");
    assert!(historical.iter().all(|(_, count)| **count == 1));
    assert_eq!(found.get("daily.data.activity.created"), Some(&3));
    assert!(
        found
            .get("daily.data.activity.updated")
            .is_some_and(|count| *count >= 1)
    );
    assert!(found.values().sum::<usize>() < 150, "{found:?}");

    let team = store
        .team_of_key(&sample.team_api_key)
        .await
        .expect("reads")
        .expect("the key");
    let team = store.team(team);
    let days = day("2026-05-12")..=day("2026-06-20");
    let activity = team.summaries::<ActivitySummary>(sample.user_id, &ResourceName::Activity, days, None);
    assert_eq!(activity.await.expect("reads").map(|of_days| of_days.len()), Some(40));
    for (resource, _) in SERIES {
        let filter = SampleFilter {
            resource,
            span: 0..i64::MAX,
            provider: None,
            after: None,
        };
        let page = team
            .samples(sample.user_id, &filter, 1_000_000)
            .await
            .expect("reads")
            .expect("the user");
        let times = page
            .groups
            .iter()
            .flat_map(|group| &group.samples)
            .map(|sample| sample.time);
        let days: BTreeSet<i64> = times.map(|time| time.div_euclid(86_400_000_000)).collect();
        assert!(days.len() >= 39, "{resource}: {} days", days.len());
    }
    assert!(
        team.profile(sample.user_id, None)
            .await
            .expect("reads")
            .flatten()
            .is_some()
    );
}

#[tokio::test]
async fn the_same_days_again_are_no_news() {
    let (_directory, store, _) = filled(4).await;
    let feed = async || {
        let span = Span {
            days: 6,
            not_before: None,
            now: now(),
        };
        let mut days = 0;
        let feed = Feed::new(1).expect("the catalogue is valid");
        feed.run(&store, 0..4, span, |more| days += more)
            .await
            .expect("is taken");
        assert_eq!(days, 24);
    };
    feed().await;
    let before = events(&store).await;
    assert!(before.values().sum::<usize>() > 4 * 60);
    feed().await;
    assert_eq!(events(&store).await, before);
}

#[tokio::test]
async fn the_next_day_continues() {
    let (_directory, store, _) = filled(1).await;
    feed_first(&store, 10, now()).await.expect("is taken");
    let before = events(&store).await;
    feed_first(&store, 10, now() + chrono::TimeDelta::days(1))
        .await
        .expect("is taken");
    let after = events(&store).await;
    let created = "daily.data.activity.created";
    assert_eq!(after[created], before[created] + 1, "the new day");
    let updated = "daily.data.activity.updated";
    assert!(after[updated] > before[updated], "the day that was not over");
    assert_eq!(after["historical.data.activity.created"], 1);
    assert_eq!(after["daily.data.profile.created"], 1);
}

#[tokio::test]
async fn a_store_without_the_users_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = Store::open(directory.path()).expect("a store");
    let span = Span {
        days: 1,
        not_before: None,
        now: now(),
    };
    let feed = Feed::new(1).expect("the catalogue is valid");
    assert!(feed.run(&store, 0..1, span, |_| {}).await.is_err());
    assert!(feed_first(&store, 1, now()).await.is_err());
}
