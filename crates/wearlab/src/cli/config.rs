//! `wearlab config`: prints the default configuration, or checks the one in use.

use anyhow::Result;
use wearlab_delivery::webhook::Sender;

use super::output::{print_line, warn};
use super::sending;
use super::store_args::StoreArgs;
use crate::config::{DEFAULT_FILE, Override};

/// The options.
#[derive(clap::Args)]
pub(super) struct Options {
    /// Check the configuration that other commands would use: print all problems, or the settings that differ from
    /// their defaults with their origins, and a warning where secrets would not be encrypted. Secrets are masked. Files
    /// that it names are read; the store is not opened, and no connection is made.
    #[arg(long)]
    check: bool,
    /// Print a line of JSON for each setting that differs from its default, with --check.
    #[arg(long, requires = "check")]
    json: bool,
    #[command(flatten)]
    store: StoreArgs,
}

pub(super) fn run(options: Options) -> Result<()> {
    match options.check {
        true => {
            let mut loaded = options.store.loaded()?;
            loaded.check_files();
            let overrides = std::mem::take(&mut loaded.overrides);
            let config = loaded.finish()?;
            sending::kinds(&config, Sender::new(config.webhooks.sender(), wearlab_clock::now)?)?;
            if let Some(warning) = config.plaintext_warning() {
                warn(format_args!("warning: {warning}"));
            }
            print_overrides(&overrides, options.json)
        }
        false => print_line(DEFAULT_FILE.trim_end()),
    }
}

/// Prints the settings that differ from their defaults.
fn print_overrides(overrides: &[Override], json: bool) -> Result<()> {
    if json {
        return overrides
            .iter()
            .try_for_each(|setting| print_line(serde_json::to_string(setting)?));
    }
    print_line(match overrides.len() {
        0 => "the configuration is valid; all settings have their default values",
        _ => "the configuration is valid; these settings differ from their defaults:",
    })?;
    for Override { setting, value, origin } in overrides {
        print_line(format_args!("{setting} = {value}  ({origin})"))?;
    }
    Ok(())
}
