//! `wearlab user export`: writes all data of a user.

use std::io::Write;
use std::time::Duration;

use anyhow::{Result, bail};
use wearlab_models::Uuid;

use super::args::failed;
use crate::cli::output::{Output, output_error};
use crate::cli::session::{ApiArgs, OrgArg};

/// Timeout of an export.
const TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);
/// Start of the last line, which shows that the export is complete.
const COMPLETE: &[u8] = br#"{"complete":"#;

#[derive(clap::Args)]
pub(in crate::cli) struct Export {
    /// Id of the user.
    #[arg(value_name = "USER_ID")]
    user_id: Uuid,
    /// Team of the user.
    #[arg(long, value_name = "UUID")]
    team: Uuid,
    #[command(flatten)]
    org: OrgArg,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    api: ApiArgs,
}

pub(super) async fn run(options: Export) -> Result<()> {
    let session = options.api.session().await?;
    let owner = session.organisation_of(options.team, options.org.id()).await?;
    let call = owner.client.export_user(&owner.id, options.team, options.user_id);
    let response = call.timeout(TIMEOUT).deadline(TIMEOUT).send().await;
    let response = response.map_err(|error| failed(&session, "export the user", &error))?;
    let mut lines = response.into_inner();
    let mut output = options.output.open()?;
    let mut last = LastLine::default();
    while let Some(part) = lines
        .try_next()
        .await
        .map_err(|error| session.failed("export the user", &error))?
    {
        last.add(&part);
        output.write_all(&part).map_err(output_error)?;
    }
    output.flush().map_err(output_error)?;
    if !last.0.starts_with(COMPLETE) {
        bail!("failed to export the user: the last line is missing, so the export is not complete");
    }
    Ok(())
}

/// Start of the last line so far, and true once that line ended.
#[derive(Default)]
struct LastLine(Vec<u8>, bool);

impl LastLine {
    fn add(&mut self, part: &[u8]) {
        for byte in part {
            if std::mem::replace(&mut self.1, *byte == b'\n') {
                self.0.clear();
            }
            if self.0.len() < COMPLETE.len() {
                self.0.push(*byte);
            }
        }
    }
}
