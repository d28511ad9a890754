//! `wearlab config`: the configuration file, with everything explained.

use anyhow::Result;
use wearlab_delivery::webhook::Sender;

use super::output::say;
use super::place::Place;
use super::sending;
use crate::clock;
use crate::config::{DEFAULT_FILE, InForce};

/// What can be set.
#[derive(clap::Args)]
pub(super) struct Options {
    /// Instead of printing the defaults, check the configuration that other commands would use: say what is wrong with it,
    /// or which settings differ from their defaults, and where each was given. Secrets are left out. Files that it names
    /// are read, addresses and the store are left alone.
    #[arg(long)]
    check: bool,
    /// Print a line of JSON for each setting that differs from its default.
    #[arg(long, requires = "check")]
    json: bool,
    #[command(flatten)]
    place: Place,
}

pub(super) fn run(options: Options) -> Result<()> {
    match options.check {
        true => {
            let mut loaded = options.place.loaded()?;
            loaded.check_files();
            let in_force = std::mem::take(&mut loaded.in_force);
            let config = loaded.finish()?;
            sending::kinds(&config, Sender::new(config.webhooks.sender(), clock::now)?)?;
            tell(&in_force, options.json)
        }
        false => say(DEFAULT_FILE.trim_end()),
    }
}

/// Says what differs from the defaults.
fn tell(in_force: &[InForce], json: bool) -> Result<()> {
    if json {
        return in_force
            .iter()
            .try_for_each(|setting| say(serde_json::to_string(setting)?));
    }
    say(match in_force.len() {
        0 => "the configuration is valid; all settings have their defaults",
        _ => "the configuration is valid; these settings differ from their defaults:",
    })?;
    for InForce { setting, value, origin } in in_force {
        say(format_args!("{setting} = {value}  ({origin})"))?;
    }
    Ok(())
}
