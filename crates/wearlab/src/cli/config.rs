//! `wearlab config`: the configuration file, with everything explained.

use anyhow::Result;
use wearlab_delivery::webhook::Sender;

use super::output::say;
use super::place::Place;
use super::sending;
use crate::clock;
use crate::config::DEFAULT_FILE;

/// What can be set.
#[derive(clap::Args)]
pub(super) struct Options {
    /// Instead of printing the defaults, say what is wrong with the configuration that other commands would use, if
    /// anything is. Files that it names are read, addresses and the store are left alone.
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    place: Place,
}

pub(super) fn run(options: Options) -> Result<()> {
    match options.check {
        true => {
            let mut loaded = options.place.loaded()?;
            loaded.check_files();
            let config = loaded.finish()?;
            sending::kinds(&config, Sender::new(config.webhooks.sender(), clock::now)?).map(drop)
        }
        false => say(DEFAULT_FILE.trim_end()),
    }
}
