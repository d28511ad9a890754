//! Creates and changes users.

use anyhow::{Result, bail};
use wearlab_models::{NaiveDate, NewUser, UserChanges, Uuid};

use super::args::{TeamArg, failed};
use crate::cli::output::print_line;

/// Value that removes a day.
const NONE: &str = "none";

#[derive(clap::Args)]
pub(in crate::cli) struct Create {
    /// Your own id of the user, without personal information.
    #[arg(value_name = "CLIENT_USER_ID")]
    client_user_id: String,
    /// Time zone for data without one, such as Europe/Oslo [default: UTC].
    #[arg(long, value_name = "ZONE")]
    time_zone: Option<String>,
    /// Birth date.
    #[arg(long, value_name = "DAY")]
    birth_date: Option<NaiveDate>,
    /// First day whose data are ingested.
    #[arg(long, value_name = "DAY")]
    ingestion_start: Option<NaiveDate>,
    /// Last day whose data are ingested.
    #[arg(long, value_name = "DAY")]
    ingestion_end: Option<NaiveDate>,
    #[command(flatten)]
    team: TeamArg,
}

/// New day; none to remove it.
#[derive(Clone, Copy)]
struct Change(Option<NaiveDate>);

fn change(text: &str) -> Result<Change, String> {
    match text {
        NONE => Ok(Change(None)),
        day => {
            let day = day
                .parse()
                .map_err(|_| format!("expected a day, such as 2026-01-31, or {NONE}"))?;
            Ok(Change(Some(day)))
        }
    }
}

#[derive(clap::Args)]
pub(in crate::cli) struct Update {
    /// Id of the user.
    #[arg(value_name = "USER_ID")]
    user_id: Uuid,
    /// Your own id of the user, without personal information.
    #[arg(long, value_name = "ID")]
    client_user_id: Option<String>,
    /// Time zone for data without one, such as Europe/Oslo.
    #[arg(long, value_name = "ZONE")]
    time_zone: Option<String>,
    /// Birth date; `none` removes it.
    #[arg(long, value_name = "DAY", value_parser = change)]
    birth_date: Option<Change>,
    /// First day whose data are ingested; `none` removes it.
    #[arg(long, value_name = "DAY", value_parser = change)]
    ingestion_start: Option<Change>,
    /// Last day whose data are ingested; `none` removes it.
    #[arg(long, value_name = "DAY", value_parser = change)]
    ingestion_end: Option<Change>,
    #[command(flatten)]
    team: TeamArg,
}

pub(super) async fn create(options: Create) -> Result<()> {
    let (session, team) = options.team.open().await?;
    let user = NewUser::builder()
        .client_user_id(options.client_user_id)
        .maybe_fallback_time_zone(options.time_zone)
        .maybe_fallback_birth_date(options.birth_date)
        .maybe_ingestion_start(options.ingestion_start)
        .maybe_ingestion_end(options.ingestion_end)
        .build();
    let created = team.create_user(user).send().await;
    let created = created.map_err(|error| session.failed("create the user", &error))?;
    print_line(created.user_id)
}

pub(super) async fn update(options: Update) -> Result<()> {
    let day = |change: Option<Change>| change.map(|Change(day)| day);
    let changes = UserChanges::builder()
        .maybe_client_user_id(options.client_user_id)
        .maybe_fallback_time_zone(options.time_zone)
        .maybe_fallback_birth_date(day(options.birth_date))
        .maybe_ingestion_start(day(options.ingestion_start))
        .maybe_ingestion_end(day(options.ingestion_end))
        .build();
    if changes == UserChanges::builder().build() {
        bail!("nothing to change: give an option, such as --time-zone; see --help");
    }
    let (session, team) = options.team.open().await?;
    let changed = team.update_user(options.user_id, changes).send().await;
    changed
        .map(drop)
        .map_err(|error| failed(&session, "change the user", &error))
}
