//! Refused migrations, and failed comparisons.

use wearlab_store::{MigrateError, MigrationStep, Store, StoreError};

use super::cut_short::{assert_unfinished, move_some};
use super::side::{Kind, Side, both_ways};
use super::{fill, moved, responses, take};
use crate::arriving::day;

both_ways! {
    async fn a_row_that_was_changed_in_the_target_is_found(from, to) {
        fill(&from).await;
        move_some(&from, &to, 28).await;
        to.run("UPDATE days SET source = 'x' WHERE day = '2026-05-03'").await;
        for _ in 0..2 {
            let error = moved_with(&from, &to, |_| {}).await.expect_err("is found");
            assert!(matches!(error, MigrateError::Different { table: "days" }), "{error:?}");
            assert_unfinished(&to).await;
        }
    }
}

both_ways! {
    async fn a_row_that_is_missing_or_too_much_in_the_target_is_found(from, to) {
        fill(&from).await;
        move_some(&from, &to, 28).await;
        to.run("DELETE FROM days WHERE day = '2026-05-03'").await;
        let error = moved_with(&from, &to, |_| {}).await.expect_err("is found");
        assert!(matches!(error, MigrateError::Different { table: "days" }), "{error:?}");
        to.run("INSERT INTO revisions (name, number) VALUES ('z', 1)").await;
        to.run("DELETE FROM days").await;
        let error = moved_with(&from, &to, |_| {}).await.expect_err("is found");
        assert!(matches!(error, MigrateError::Different { table: "revisions" }), "{error:?}");
    }
}

both_ways! {
    async fn a_target_with_data_of_its_own_is_refused(from, to) {
        fill(&from).await;
        let store = to.open().await;
        store.write(|write| write.put_organisation("org_theirs").map(drop)).await.expect("writes");
        drop(store);
        let before = crate::world::exported(&to.open().await).await;
        let error = moved(&from, &to).await.expect_err("is refused");
        assert!(matches!(error, MigrateError::InUse { table: "organisations", .. }), "{error:?}");
        assert_eq!(crate::world::exported(&to.open().await).await, before);
        let error = moved(&from, &from).await.expect_err("is refused");
        assert!(matches!(error, MigrateError::Open(StoreError::Conflict { .. })), "{error:?}");
    }
}

both_ways! {
    async fn one_that_is_done_is_reported_again_until_the_target_changes(from, to) {
        fill(&from).await;
        let tables = moved(&from, &to).await.expect("moves");
        assert_eq!(moved(&from, &to).await.expect("is there already"), tables);
        take(&to.open().await, &day("2026-05-20", 3)).await;
        let before = responses(&to.open().await).await;
        let error = moved(&from, &to).await.expect_err("is refused");
        assert!(matches!(error, MigrateError::InUse { .. }), "{error:?}");
        assert_eq!(responses(&to.open().await).await, before);
    }
}

both_ways! {
    async fn a_store_that_was_opened_before_may_be_a_target(from, to) {
        fill(&from).await;
        let store = to.open().await;
        store.write(|write| write.put_meta("cursor_secret", "another")).await.expect("writes");
        drop(store);
        moved(&from, &to).await.expect("moves");
        assert_eq!(responses(&to.open().await).await, responses(&from.open().await).await);
    }
}

both_ways! {
    async fn a_source_that_changes_is_found(from, to) {
        fill(&from).await;
        // An arrival during the copy, after the rows already copied and before the others.
        let source = from.open().await;
        let mut took = false;
        let error = moved_with(&from, &to, |step| {
            if matches!(step, MigrationStep::Copied { table: "days", .. }) && !took {
                took = true;
                take_elsewhere(&source);
            }
        });
        let error = error.await.expect_err("is found");
        assert!(took);
        assert!(matches!(error, MigrateError::SourceChanged { table: "events" }), "{error:?}");
        assert_unfinished(&to).await;
        // A change between two runs.
        let error = moved(&from, &to).await.expect_err("is refused");
        assert!(matches!(error, MigrateError::OtherSource { table: "events", .. }), "{error:?}");
        assert!(error.to_string().contains("begin again with an empty target"), "{error}");
    }
}

/// Ingests an arrival on another thread, like another process.
fn take_elsewhere(store: &Store) {
    let work = || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .expect("a runtime");
        runtime.block_on(take(store, &day("2026-05-20", 3)))
    };
    std::thread::scope(|scope| scope.spawn(work).join()).expect("no panic");
}

both_ways! {
    async fn a_source_must_be_a_whole_store(from, to) {
        drop(from.open().await);
        let error = moved(&from, &to).await.expect_err("is refused");
        assert!(matches!(error, MigrateError::Empty { .. }), "{error:?}");
        fill(&from).await;
        move_some(&from, &to, 9).await;
        let third = Side::new(Kind::Embedded).await;
        let error = moved(&to, &third).await.expect_err("is refused");
        assert!(matches!(error, MigrateError::Open(StoreError::Unfinished { .. })), "{error:?}");
    }
}

both_ways! {
    async fn one_of_two_at_once_ends_and_spoils_nothing(from, to) {
        fill(&from).await;
        let before = responses(&from.open().await).await;
        let mut other = None;
        let error = moved_with(&from, &to, |step| {
            if matches!(step, MigrationStep::Copied { table: "users", .. }) {
                let (from, to) = (from.address(), to.address());
                let work = move || {
                    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
                    runtime.block_on(Store::migrate(&from, &to, |_| {}))
                };
                other = Some(std::thread::spawn(work).join().expect("no panic"));
            }
        });
        let error = error.await.expect_err("is refused");
        assert!(matches!(other, Some(Ok(()))), "{other:?}");
        let conflict = |error: &StoreError| matches!(error, StoreError::Conflict { .. });
        assert!(matches!(&error, MigrateError::Write { source, .. } if conflict(source)), "{error:?}");
        assert_eq!(responses(&to.open().await).await, before);
    }
}

#[tokio::test]
async fn a_directory_without_a_store_is_no_source() {
    let (from, to) = (Side::new(Kind::Embedded).await, Side::new(Kind::Embedded).await);
    let error = moved(&from, &to).await.expect_err("is refused");
    assert!(matches!(error, MigrateError::Open(_)), "{error:?}");
    assert!(!from.data().exists(), "none is made");
}

async fn moved_with(from: &Side, to: &Side, each: impl FnMut(MigrationStep<'_>)) -> Result<(), MigrateError> {
    Store::migrate(&from.address(), &to.address(), each).await
}
