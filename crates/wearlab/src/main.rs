//! The `wearlab` binary.

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    wearlab::cli::run().await
}
