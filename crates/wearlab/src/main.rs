//! Binary `wearlab`.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// Pages of samples are large blocks, which the system's allocator requests from the kernel and releases for each
/// request.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    // The allocator uses transparent huge pages of 2 MiB, of which an idle service uses a part: they add a fifth to its
    // memory, and make nothing faster. If they cannot be disabled, they are kept.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(true);
    wearlab::cli::run()
}
