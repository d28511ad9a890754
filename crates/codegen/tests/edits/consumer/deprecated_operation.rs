//! Uses the deprecated operation: an unfulfilled expectation is an error here.

use wearlab_client::{Client, ListCancellationReasons};
use wearlab_server::{Api, ListCancellationReasonsInput};

/// The caller.
#[expect(deprecated, reason = "what this edit is about")]
pub fn call(client: &Client) -> ListCancellationReasons<'_> {
    // The argument is another edit.
    client.list_cancellation_reasons(2)
}

/// The implementer, who calls it.
#[expect(deprecated, reason = "what this edit is about")]
pub async fn respond<A: Api>(api: &A, key: A::TeamApiKey, input: ListCancellationReasonsInput) -> bool {
    api.list_cancellation_reasons(key, input).await.is_ok()
}
