//! Shows the log of the client through `tracing`: a span for each call, named after its operation, and its attempts.
//!
//! With `WEARLAB_BASE_URL` and `WEARLAB_API_KEY`: `cargo run -p wearlab-client --example tracing`. If `wearlab demo`
//! is stopped first, it shows the retries of the call.

use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::FmtSpan;
use wearlab_client::{Client, Error};

#[tokio::main]
async fn main() -> Result<(), Error> {
    let _guard = tracing::subscriber::set_default(subscriber(std::io::stderr));
    run(&Client::from_env()?).await
}

/// Spans and events of the client, without those of libraries below it. Neither has keys, URLs or values of parameters.
pub(crate) fn subscriber<W>(writer: W) -> impl tracing::Subscriber + Send + Sync
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    tracing_subscriber::fmt()
        .with_env_filter("wearlab_kit_client=debug")
        .with_span_events(FmtSpan::CLOSE)
        .with_ansi(false)
        .with_writer(writer)
        .finish()
}

pub(crate) async fn run(client: &Client) -> Result<(), Error> {
    client.list_providers().send().await?;
    Ok(())
}
