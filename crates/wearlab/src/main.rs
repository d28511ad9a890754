//! The `wearlab` binary.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// Pages of samples are blocks that the system's allocator takes from the kernel, and gives back, for each request.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    wearlab::cli::run()
}
