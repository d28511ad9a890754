//! Interrupted migrations.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use wearlab_store::{MigrationStep, Store, StoreAddress, StoreError};

use super::side::{Kind, Side, both_ways};
use super::{fill, moved, responses};
use crate::seed::Seed;

/// Migrates until this many chunks are in the target.
pub(super) async fn move_some(from: &Side, to: &Side, chunks: usize) {
    let (from, to) = (from.address(), to.address());
    let cut = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .expect("a runtime");
        runtime.block_on(cut(&from, &to, chunks))
    });
    assert!(cut.join().is_err(), "it is cut short");
}

async fn cut(from: &StoreAddress, to: &StoreAddress, chunks: usize) {
    let mut left = chunks;
    let moved = Store::migrate(from, to, |step| {
        if let MigrationStep::Copied { .. } = step {
            left -= 1;
            assert!(left > 0, "it is cut short");
        }
    });
    moved.await.expect("moves");
}

pub(super) async fn assert_unfinished(side: &Side) {
    let error = side.try_open().await.expect_err("is refused");
    assert!(matches!(error, StoreError::Unfinished { .. }), "{error:?}");
    assert!(error.to_string().contains("is not complete"), "{error}");
}

both_ways! {
    async fn it_goes_on_where_it_was(from, to) {
        fill(&from).await;
        let before = responses(&from.open().await).await;
        let seed = Seed::one(8);
        let mut chance = ChaCha8Rng::seed_from_u64(seed.number());
        let mut chunks = 28;
        while chunks > 1 {
            let some = chance.random_range(1..chunks.min(9));
            move_some(&from, &to, some).await;
            assert_unfinished(&to).await;
            chunks -= some;
        }
        moved(&from, &to).await.expect("moves");
        assert_eq!(responses(&to.open().await).await, before);
    }
}
