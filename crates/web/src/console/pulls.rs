//! Historical pulls of a team's users, those in progress first on each page.

use axum::extract::Path;
use axum::response::Response;
use maud::{Markup, html};
use wearlab_models::{HistoricalPull, HistoricalPulls, PullStatus, ResourceName, UserPulls, Uuid};
use wearlab_server::operations::LIST_HISTORICAL_PULLS;

use super::authenticated_page::{AuthenticatedPage, parse_id};
use super::error::PageError;
use super::page::Page;
use super::parts::{Tone, code, id_link, maybe, maybe_time, next, state, table, team_pages, time};
use super::query::Query;
use super::user;

/// Users per read.
const USERS: i64 = 20;
/// Number of pulls that fills a page, and the maximum users that a page reads: most may have no pull.
const FULL_PAGE: usize = 50;
const MAX_USERS: usize = 1_000;

/// `GET /console/teams/{team_id}/pulls`
pub(super) async fn list(
    auth: AuthenticatedPage,
    Path(team_id): Path<String>,
    query: Query,
) -> Result<Response, PageError> {
    let team_id = parse_id(&team_id)?;
    let path = format!("/console/teams/{team_id}/pulls");
    let user_id: Option<Uuid> = query.parse("user_id");
    let (users, next_cursor) = read(&auth, team_id, user_id, query.get("next_cursor")).await?;
    let mut pulls: Vec<_> = users.iter().flat_map(pulls_of).collect();
    pulls.sort_by_key(|(.., pull)| (is_over(pull), std::cmp::Reverse(pull.timeline.scheduled_at)));
    let rows: Vec<_> = pulls.iter().map(|pull| row(team_id, pull)).collect();
    let columns = [
        "Resource",
        "Provider",
        "User",
        "Status",
        "Scheduled",
        "Started",
        "Ended",
        "Error",
    ];
    let empty = match next_cursor {
        Some(_) => "No history of these users was pulled; the next page has others.",
        None => "No history was pulled.",
    };
    let parameters = [("user_id", query.get("user_id"))];
    let content = html! {
        @match user_id {
            Some(user_id) => (user::pages(team_id, user_id, "pulls")),
            None => (team_pages(&team_id.to_string(), "/pulls")),
        }
        div #pulls data-live="" {
            (table("Historical pulls", &columns, empty, &rows))
            (next(&path, &parameters, ("next_cursor", next_cursor.as_deref())))
        }
    };
    let trail = user::trail(team_id);
    let page = Page::new(&auth, "Historical pulls").below(&trail);
    let changes = pulls.iter().any(|(.., pull)| !is_over(pull));
    let page = if changes { page.live() } else { page };
    Ok(page.response(&content))
}

/// Reads users until they have enough pulls for a page. Returns the cursor of the next page, too.
async fn read(
    auth: &AuthenticatedPage,
    team_id: Uuid,
    user_id: Option<Uuid>,
    cursor: Option<&str>,
) -> Result<(Vec<UserPulls>, Option<String>), PageError> {
    let mut users = Vec::new();
    let mut cursor = cursor.map(str::to_owned);
    let mut seen = 0;
    loop {
        let call = auth.team_call(&LIST_HISTORICAL_PULLS, team_id, &[]).await?;
        let call = call
            .query("user_limit", Some(USERS))
            .query("next_cursor", cursor.take());
        let list: HistoricalPulls = call.query("user_id", user_id).get().await?;
        seen += list.data.len();
        users.extend(list.data.into_iter().filter(|user| pulls_of(user).next().is_some()));
        cursor = list.next_cursor;
        let pulls: usize = users.iter().map(|user| pulls_of(user).count()).sum();
        if cursor.is_none() || pulls >= FULL_PAGE || seen >= MAX_USERS {
            return Ok((users, cursor));
        }
    }
}

type Pull<'p> = (Uuid, &'p str, &'p ResourceName, &'p HistoricalPull);

fn pulls_of(user: &UserPulls) -> impl Iterator<Item = Pull<'_>> {
    let by_provider = user.provider.iter();
    by_provider.flat_map(move |(provider, pulls)| {
        let pulled = pulls.pulled.iter();
        pulled.map(move |(resource, pull)| (user.user_id, provider.as_str(), resource, pull))
    })
}

fn is_over(pull: &HistoricalPull) -> bool {
    matches!(pull.status, PullStatus::Success | PullStatus::Failure)
}

fn row(team_id: Uuid, (user_id, provider, resource, pull): &Pull<'_>) -> Vec<Markup> {
    let tone = match pull.status {
        PullStatus::Success => Tone::Good,
        PullStatus::Failure => Tone::Bad,
        _ => Tone::Waiting,
    };
    let user_id = user_id.to_string();
    vec![
        code(resource.as_str()),
        code(provider),
        id_link(&format!("/console/teams/{team_id}/users/{user_id}"), &user_id),
        state(pull.status.as_str(), tone),
        time(pull.timeline.scheduled_at),
        maybe_time(pull.timeline.started_at),
        maybe_time(pull.timeline.ended_at),
        maybe(pull.error_details.as_deref()),
    ]
}
