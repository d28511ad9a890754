//! Ends a command with a message on a signal.

use std::process;

use anyhow::{Context, Result};

use super::output::warn_at_exit;
use crate::stop::Stop;

/// Ends the process with a message when it is asked to stop, even if its threads are blocked. Uncommitted writes are
/// rolled back, as after a crash.
pub(super) fn end_with(message: &'static str) -> Result<()> {
    let mut stop = Stop::listen().context("cannot listen for signals")?;
    tokio::spawn(async move {
        stop.asked().await;
        warn_at_exit(message);
        process::exit(1);
    });
    Ok(())
}
