//! Writes: common properties, and users.

mod audit;
mod export;
mod isolation;
mod nulls;
mod repeats;
mod users;

use wearlab_store::Record;
use wearlab_tests::Running;

/// Exports a store, with each record as JSON.
async fn everything(running: &Running) -> Vec<String> {
    let mut all = Vec::new();
    let exported = running.store.export(|record: Record| {
        all.push(serde_json::to_string(&record).expect("JSON"));
        Ok::<_, wearlab_store::StoreError>(())
    });
    exported.await.expect("an export");
    all
}
