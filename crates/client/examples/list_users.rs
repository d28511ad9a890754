//! Walks a list to its end, page by page, without holding more than one page.
//!
//! With `wearlab demo` running, and `WEARLAB_BASE_URL` and `WEARLAB_API_KEY` as it prints them:
//! `cargo run -p wearlab-client --example list_users`.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use wearlab_client::{Client, Error};

#[tokio::main]
async fn main() -> Result<(), Error> {
    for line in run(&Client::from_env()?).await? {
        println!("{line}");
    }
    Ok(())
}

pub(crate) async fn run(client: &Client) -> Result<Vec<String>, Error> {
    let mut lines = Vec::new();
    let mut users = client.list_users().limit(50).stream();
    while let Some(user) = users.try_next().await? {
        lines.push(format!("{} has {} sources", user.user_id, user.connected_sources.len()));
    }
    Ok(lines)
}
