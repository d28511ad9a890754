//! Commands that a signal ends with a message.

use std::process;

use anyhow::{Context, Result};

use super::output::warn_at_exit;
use crate::stop::Stop;

/// Ends the process with a message when it is asked to end, whatever its threads wait for. What is not committed by then
/// is rolled back, as after a crash.
pub(super) fn end_with(message: &'static str) -> Result<()> {
    let mut stop = Stop::listen().context("cannot listen for signals")?;
    tokio::spawn(async move {
        stop.asked().await;
        warn_at_exit(message);
        process::exit(1);
    });
    Ok(())
}
