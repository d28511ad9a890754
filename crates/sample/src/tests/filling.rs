//! Tests of filling a store: determinism, and stores that are not empty.

use std::sync::{Arc, Barrier};

use wearlab_store::{Store, StoreError};

use super::super::{SEED, USERS, fill, filled as kept};
use super::{Filled, Sample, SampleOptions, documents, filled, team};

#[tokio::test]
async fn a_seed_makes_the_same_bytes_and_another_seed_others() {
    let (one, two, three) = (filled(7, 50).await, filled(7, 50).await, filled(8, 50).await);
    assert!(one.sample == two.sample);
    assert!(one.sample == Sample::describe(7));
    assert_eq!(documents(&one).await, documents(&two).await);
    assert_ne!(documents(&one).await["user"], documents(&three).await["user"]);
    assert!(one.sample.team_api_key != three.sample.team_api_key);
}

#[tokio::test]
async fn a_user_does_not_depend_on_how_many_there_are() {
    let mut bytes = Vec::new();
    for users in [10, 50] {
        let Filled { store, sample, .. } = &filled(7, users).await;
        let team = store.team(team(store, &sample.team_api_key).await);
        let user = team.user(sample.user_id).await.expect("reads").expect("the user");
        bytes.push(user.into_bytes());
    }
    assert_eq!(bytes[0], bytes[1]);
}

#[tokio::test]
async fn a_store_that_was_filled_is_left_as_it_is() {
    let filled = filled(7, 20).await;
    let before = documents(&filled).await;
    for seed in [7, 8] {
        let again = fill(&filled.store, &SampleOptions { seed, users: 50 })
            .await
            .expect("describes");
        assert!(again == filled.sample, "the seed that filled the store decides");
    }
    assert_eq!(documents(&filled).await, before);
    let options = SampleOptions { seed: 7, users: 20 };
    assert_eq!(kept(&filled.store).await.expect("reads"), Some(options));
}

#[tokio::test]
async fn an_empty_store_tells_that_it_is_not_filled() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = Store::open(directory.path()).expect("a store");
    assert_eq!(kept(&store).await.expect("reads"), None);
    fill(&store, &SampleOptions { seed: 1, users: 0 }).await.expect("fills");
    let options = SampleOptions { seed: 1, users: 1 };
    assert_eq!(kept(&store).await.expect("reads"), Some(options), "there is always one");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_several_that_fill_at_once_one_does() {
    let directory = tempfile::tempdir().expect("a directory");
    let start = Arc::new(Barrier::new(4));
    let fillers: Vec<_> = (1..=4)
        .map(|seed| {
            let store = Store::open(directory.path()).expect("a store");
            let start = start.clone();
            tokio::spawn(async move {
                start.wait();
                fill(&store, &SampleOptions { seed, users: 5 }).await.expect("fills")
            })
        })
        .collect();
    let store = Store::open(directory.path()).expect("a store");
    let mut samples = Vec::new();
    for filler in fillers {
        samples.push(filler.await.expect("no panic"));
    }
    let options = kept(&store).await.expect("reads").expect("is filled");
    assert!(samples.iter().all(|sample| *sample == Sample::describe(options.seed)));
    let mut known = 0;
    for seed in 1..=4 {
        let key = Sample::describe(seed).team_api_key;
        known += usize::from(store.team_of_key(&key).await.expect("reads").is_some());
    }
    assert_eq!(known, 1, "nothing of the other seeds");
}

#[tokio::test]
async fn a_store_with_other_data_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = Store::open(directory.path()).expect("a store");
    store
        .write(|write| write.put_organisation("org"))
        .await
        .expect("writes");
    let error = fill(&store, &SampleOptions { seed: 1, users: 1 })
        .await
        .expect_err("is refused");
    assert!(matches!(error, StoreError::Conflict { .. }), "{error:?}");
}

#[tokio::test]
async fn a_store_of_another_version_is_refused() {
    let text = "write to the store: this store was filled by another version of the sample: use a new directory";
    let options = SampleOptions { seed: 7, users: 3 };
    for (name, value) in [(SEED, "8"), (SEED, "a seed"), (USERS, "many")] {
        let Filled { store, .. } = &filled(7, 3).await;
        store.write(|write| write.put_meta(name, value)).await.expect("writes");
        let error = fill(store, &options).await.expect_err("is refused");
        assert!(matches!(error, StoreError::Conflict { .. }), "{error:?}");
        assert_eq!(error.to_string(), text);
    }
}
