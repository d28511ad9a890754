//! Reads a response as received: headers, bytes, and fields that the models do not have, in a custom type.
//!
//! With `WEARLAB_BASE_URL` and `WEARLAB_API_KEY`: `cargo run -p wearlab-client --example raw`.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use serde::Deserialize;
use wearlab_client::{Client, Error};

#[derive(Deserialize)]
struct Total {
    total: u64,
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    println!("{}", run(&Client::from_env()?).await?);
    Ok(())
}

pub(crate) async fn run(client: &Client) -> Result<String, Error> {
    let raw = client.list_users().limit(1).send_raw().await?;
    let Total { total } = raw.decode()?;
    let kind = raw.headers().get("content-type").and_then(|value| value.to_str().ok());
    Ok(format!(
        "{} bytes of {}, {total} users",
        raw.len(),
        kind.unwrap_or("anything")
    ))
}
