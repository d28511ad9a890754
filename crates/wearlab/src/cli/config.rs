//! `wearlab config`: the configuration file, with everything explained.

use anyhow::Result;

use super::output::say;
use super::place::Place;
use crate::config::DEFAULT_FILE;

/// What can be set.
#[derive(clap::Args)]
pub(super) struct Options {
    /// Check the configuration that other commands would use, instead of printing the defaults.
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    place: Place,
}

pub(super) fn run(options: Options) -> Result<()> {
    match options.check {
        true => options.place.config().map(drop),
        false => say(DEFAULT_FILE.trim_end()),
    }
}
