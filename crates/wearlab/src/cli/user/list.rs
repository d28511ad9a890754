//! Lists and shows users.

use anyhow::Result;
use serde::Serialize;
use serde_json::{Value, json};
use wearlab_client::{Body, Error, Response};
use wearlab_models::User;

use super::args::{TeamArg, UserArg, failed};
use crate::cli::output::{print_line, time};
use crate::cli::session::Session;
use crate::cli::table::{Format, Row};

/// Users per request.
const PAGE: i64 = 500;

#[derive(clap::Args)]
pub(in crate::cli) struct List {
    /// Number of users to skip.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(i64).range(0..))]
    offset: i64,
    /// Maximum number of users.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(i64).range(0..))]
    limit: i64,
    #[command(flatten)]
    format: Format,
    #[command(flatten)]
    team: TeamArg,
}

pub(super) async fn run(options: List) -> Result<()> {
    let (session, team) = options.team.open().await?;
    let (mut offset, mut left) = (options.offset, options.limit);
    options.format.head::<UserRow>()?;
    while left > 0 {
        let limit = left.min(PAGE);
        let page = team.list_users().offset(offset).limit(limit).send().await;
        let page = page.map_err(|error| session.failed("list the users", &error))?;
        let users = page.into_inner().users;
        let read = i64::try_from(users.len())?;
        options.format.rows(users.into_iter().map(UserRow))?;
        if read < limit {
            break;
        }
        offset += read;
        left -= read;
    }
    Ok(())
}

/// A user as in the API.
#[derive(Serialize)]
#[serde(transparent)]
struct UserRow(User);

impl Row for UserRow {
    fn head() -> String {
        format!(
            "{:36}  {:20}  {:24}  {:>7}  client user id",
            "id", "created", "time zone", "sources"
        )
    }

    fn line(&self) -> String {
        let user = &self.0;
        format!(
            "{:36}  {:20}  {:24}  {:>7}  {}",
            user.user_id,
            time(user.created_on.to_utc()),
            user.fallback_time_zone.id,
            user.connected_sources.len(),
            user.client_user_id
        )
    }
}

pub(super) async fn show(options: UserArg) -> Result<()> {
    let (session, team) = options.team.open().await?;
    let id = options.user_id;
    let user = value(&session, team.get_user(id).send_raw().await)?;
    let mut connections = value(&session, team.list_user_providers(id).send_raw().await)?;
    let devices = value(&session, team.list_user_devices(id).send_raw().await)?;
    let shown = json!({"user": user, "providers": connections["providers"].take(), "devices": devices});
    print_line(serde_json::to_string_pretty(&shown)?)
}

/// Returns a response unchanged, with fields unknown to this version.
fn value(session: &Session, response: Result<Response<Body>, Error>) -> Result<Value> {
    let decoded = response.and_then(|response| response.decode());
    decoded.map_err(|error| failed(session, "read the user", &error))
}
