//! Stops in the middle of a list, keeps the position as text, and continues there, such as in another process.
//!
//! With `WEARLAB_BASE_URL` and `WEARLAB_API_KEY`: `cargo run -p wearlab-client --example resume`.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use wearlab_client::Client;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::from_env()?;
    let (mut kept, mut all) = (None, 0);
    loop {
        let (some, place) = take(&client, kept, 30).await?;
        all += some;
        println!("{some} users, then at {place:?}");
        if place.is_none() {
            break;
        }
        kept = place;
    }
    println!("{all} users in all");
    Ok(())
}

/// Takes a number of users at most from a position on. Returns their number, and the position of the next one.
pub(crate) async fn take(
    client: &Client,
    place: Option<String>,
    most: usize,
) -> Result<(usize, Option<String>), Box<dyn std::error::Error>> {
    let mut users = client.list_users().limit(20).stream();
    if let Some(place) = place {
        users = users.resume_at(serde_json::from_str(&place)?);
    }
    let mut taken = 0;
    while taken < most && users.try_next().await?.is_some() {
        taken += 1;
    }
    let place = users.position().map(|position| serde_json::to_string(&position));
    Ok((taken, place.transpose()?))
}
