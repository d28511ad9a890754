//! Serves a user to a key until it is ended, at an address that it prints: `MOCK_KEY=key serve user.json`. `cargo xtask bench`
//! measures it next to other test doubles.

#![expect(clippy::print_stdout, reason = "a program that prints where it listens")]

use std::error::Error;

use wearlab_mock::models::User;
use wearlab_mock::{MockServer, get_user};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).ok_or("usage: MOCK_KEY=key serve FILE")?;
    let key = std::env::var("MOCK_KEY").map_err(|_| "MOCK_KEY has no key")?;
    let user: User = serde_json::from_slice(&std::fs::read(file)?)?;
    let server = MockServer::start().await;
    let mock = get_user().user_id(user.user_id).team_api_key(key);
    mock.then_ok(&user).mount(&server).await;
    println!("{}", server.uri());
    std::future::pending().await
}
