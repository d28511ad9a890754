//! Distinguishes errors to show, to fix, and to retry.
//!
//! With `WEARLAB_BASE_URL` and `WEARLAB_API_KEY`: `cargo run -p wearlab-client --example errors`.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use wearlab_client::{Client, Error};
use wearlab_models::Uuid;

#[tokio::main]
async fn main() -> Result<(), Error> {
    let client = Client::from_env()?;
    println!("{}", find(&client, Uuid::nil()).await);
    println!("{}", page(&client, 1000).await);
    Ok(())
}

/// Treats a missing user as a response, not as an error.
pub(crate) async fn find(client: &Client, user_id: Uuid) -> String {
    match client.get_user(user_id).send().await {
        Ok(user) => format!("created on {}", user.created_on),
        Err(Error::NotFound(_)) => "there is no such user".to_owned(),
        Err(Error::Unauthorized(_)) => "the API key is not valid".to_owned(),
        Err(error) if error.is_retryable() => "the service is busy: try later".to_owned(),
        // For the operator of the service, who finds the request in the log.
        Err(error) => format!("it failed, request {}", error.request_id().unwrap_or("unknown")),
    }
}

/// Reports all invalid parameters together.
pub(crate) async fn page(client: &Client, limit: i64) -> String {
    match client.list_users().limit(limit).send().await {
        Ok(page) => format!("{} of {} users", page.users.len(), page.total),
        Err(Error::Invalid(failure)) => {
            let refused = failure.violations().iter();
            let refused = refused.map(|violation| format!("{}: {}", violation.location, violation.message));
            refused.collect::<Vec<_>>().join("\n")
        }
        Err(error) => error.to_string(),
    }
}
