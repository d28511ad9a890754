//! The `wearlab` binary.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// Pages of samples are blocks that the system's allocator takes from the kernel, and gives back, for each request.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    // The allocator asks for pages of 2 MiB, of which an idle service uses a part: they take a fifth of its memory, and make nothing
    // faster. Where they cannot be refused, it has them.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(true);
    wearlab::cli::run()
}
