//! Writes: what is the same for each of them, and then users.

mod audit;
mod export;
mod isolation;
mod repeats;
mod users;

use serde_json::Value;
use wearlab_store::Record;
use wearlab_tests::Running;

/// Everything that an export has of a store.
async fn everything(running: &Running) -> Vec<Value> {
    let mut all = Vec::new();
    let exported = running.store.export(|record: Record| {
        all.push(serde_json::to_value(&record).expect("JSON"));
        Ok::<_, wearlab_store::StoreError>(())
    });
    exported.await.expect("an export");
    all
}
