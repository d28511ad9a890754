//! The `wearlab` binary.

#![warn(clippy::print_stderr)]

use std::io::{self, Write};
use std::process::ExitCode;

use mimalloc::MiMalloc;

/// Pages of samples are blocks that the system's allocator takes from the kernel, and gives back, for each request.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => {
            let _ = writeln!(io::stderr(), "wearlab: cannot start: {error}");
            return ExitCode::FAILURE;
        }
    };
    let code = runtime.block_on(wearlab::cli::run());
    // Work that was given up, such as making data when asked to stop, is not waited for.
    runtime.shutdown_background();
    code
}
