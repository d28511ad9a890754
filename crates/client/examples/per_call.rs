//! Gives one call its own time, headers and retries. Other calls of the same client keep the client's.
//!
//! With `WEARLAB_BASE_URL` and `WEARLAB_API_KEY`: `cargo run -p wearlab-client --example per_call`.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::time::Duration;

use wearlab_client::{Client, Error, RetryPolicy};

#[tokio::main]
async fn main() -> Result<(), Error> {
    println!(
        "answered as request {:?}",
        run(&Client::from_env()?, "example-1").await?
    );
    Ok(())
}

/// Health check: quick, without retries, with an id to be found in the log of the service.
pub(crate) async fn run(client: &Client, request_id: &str) -> Result<Option<String>, Error> {
    let page = client
        .list_users()
        .limit(1)
        .timeout(Duration::from_secs(2))
        .retry(RetryPolicy::none())
        .header("x-request-id", request_id)
        .send()
        .await?;
    Ok(page.request_id().map(str::to_owned))
}
