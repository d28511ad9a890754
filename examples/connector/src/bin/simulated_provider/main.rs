//! Simulated provider: OAuth that always consents, and an API with paging, rate limits, history and changes.

mod accounts;
mod api;
mod oauth;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};
use clap::Parser;

use self::accounts::Accounts;

#[derive(Parser)]
struct Options {
    /// Address to listen on.
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// Lifetime of an access token, in seconds.
    #[arg(long, default_value_t = 300)]
    token_seconds: u32,
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let options = Options::parse();
    let accounts = Arc::new(Accounts::new(options.token_seconds));
    let router = Router::new()
        .route("/oauth/authorize", get(oauth::authorize))
        .route("/oauth/token", post(oauth::token))
        .route("/v1/position", get(api::position))
        .route("/v1/changes", get(api::changes))
        .route("/v1/steps", get(api::steps))
        .route("/v1/nights", get(api::nights))
        .route("/simulation/sync", post(api::sync))
        .route("/simulation/limited", get(api::limited))
        .with_state(accounts);
    let listener = tokio::net::TcpListener::bind(options.listen).await?;
    #[expect(clippy::print_stdout, reason = "whoever starts it reads the URL")]
    {
        println!("http://{}", listener.local_addr()?);
    }
    axum::serve(listener, router).await
}
