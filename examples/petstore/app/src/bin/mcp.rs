//! MCP server of the petstore, with a tool for each operation.

use std::process::ExitCode;

use clap::Parser;

/// Serves tools that call the petstore.
#[derive(Parser)]
#[command(name = "mcp")]
struct Arguments {
    #[command(flatten)]
    options: petstore_mcp::Options,
}

#[tokio::main]
async fn main() -> ExitCode {
    Arguments::parse().options.run().await
}
