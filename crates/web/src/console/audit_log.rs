//! Pages of the audit log: each write to the organisation and its teams.

use axum::response::Response;
use maud::{Markup, html};
use wearlab_models::{AuditEntry, AuditLog};
use wearlab_server::operations::LIST_AUDIT_LOG;

use super::authenticated_page::AuthenticatedPage;
use super::error::PageError;
use super::page::Page;
use super::parts::{code, id_link, maybe, next, none, table, time};
use super::query::Query;

const PATH: &str = "/console/audit-log";

/// Page size, in entries.
const PAGE: i64 = 50;

/// `GET /console/audit-log`: the newest first.
pub(super) async fn list(auth: AuthenticatedPage, query: Query) -> Result<Response, PageError> {
    let team_id = query.get("team_id");
    let before: i64 = query.parse("before").unwrap_or(i64::MAX);
    let call = auth.call(&LIST_AUDIT_LOG, &[]).query("before", Some(before));
    let log: AuditLog = call.query("limit", Some(PAGE)).query("team_id", team_id).get().await?;
    let rows: Vec<_> = log.entries.iter().map(row).collect();
    // With a filter by team, a page may have fewer entries although others follow.
    let more = log.last < before && (team_id.is_some() || i64::try_from(log.entries.len()) == Ok(PAGE));
    let last = more.then(|| log.last.to_string());
    let empty = if more {
        "None of these entries is about the team; the next page has others."
    } else {
        "Nothing was written."
    };
    let columns = ["Operation", "Written", "Key", "Subject", "Team", "Request"];
    let content = html! {
        form.search role="search" method="get" action=(PATH) {
            label for="team_id" { "Team" }
            input #team_id name="team_id" type="search" value=[team_id] autocomplete="off";
            button type="submit" { "Filter" }
        }
        (table("Audit log", &columns, empty, &rows))
        (next(PATH, &[("team_id", team_id)], ("before", last.as_deref())))
    };
    Ok(Page::new(&auth, "Audit log").response(&content))
}

fn row(entry: &AuditEntry) -> Vec<Markup> {
    vec![
        code(&entry.operation),
        time(entry.written_on),
        code(&entry.key_id),
        maybe(entry.subject.as_deref()),
        entry.team_id.map_or_else(none, |team| {
            id_link(&format!("/console/teams/{team}"), &team.to_string())
        }),
        code(&entry.request_id),
    ]
}
