//! Users of a team, and the search for one.

use axum::extract::Path;
use axum::response::Response;
use maud::{Markup, html};
use wearlab_models::{User, UserList, Uuid};
use wearlab_server::operations::{GET_USER, LIST_USERS};

use super::authenticated_page::{AuthenticatedPage, parse_id};
use super::error::PageError;
use super::page::Page;
use super::parts::{code, count, maybe, table, team_pages, time};
use super::query::{Query, url};

/// Page size, in users.
const PAGE: i64 = 50;

/// Maximum users that a search finds.
const MAX_FOUND: usize = 50;

/// `GET /console/teams/{team_id}`
pub(super) async fn list(
    auth: AuthenticatedPage,
    Path(team_id): Path<String>,
    query: Query,
) -> Result<Response, PageError> {
    let team_id = parse_id(&team_id)?;
    let path = format!("/console/teams/{team_id}");
    let wanted = query.get("q");
    let users = match auth.check_admin() {
        Err(error) => html! { p.empty { (error.text()) } },
        Ok(()) => match wanted {
            Some(wanted) => found(&auth, team_id, wanted).await?,
            None => page(&auth, team_id, &path, query.parse("offset").unwrap_or(0)).await?,
        },
    };
    let content = html! {
        (team_pages(&team_id.to_string(), ""))
        form.search role="search" method="get" action=(path) {
            label for="q" { "Find users by their id, or by how their client user id begins" }
            input #q name="q" type="search" value=[wanted] autocomplete="off";
            button type="submit" { "Find" }
        }
        (users)
    };
    let trail = [("/console/teams".to_owned(), "Teams".to_owned())];
    let title = format!("Team {team_id}");
    Ok(Page::new(&auth, &title).below(&trail).response(&content))
}

async fn page(auth: &AuthenticatedPage, team_id: Uuid, path: &str, offset: i64) -> Result<Markup, PageError> {
    let call = auth.team_call(&LIST_USERS, team_id, &[]).await?;
    let list: UserList = call
        .query("offset", Some(offset))
        .query("limit", Some(PAGE))
        .get()
        .await?;
    let shown = i64::try_from(list.users.len()).unwrap_or(i64::MAX);
    let (first, last) = (offset.saturating_add(1), offset.saturating_add(shown));
    let to = |offset: i64| url(path, &[("offset", Some(&offset.to_string()))]);
    Ok(html! {
        (rows(team_id, &list.users, "The team has no users here."))
        @if shown > 0 {
            p.next {
                span { (count(first)) "\u{2013}" (count(last)) " of " (count(list.total)) }
                @if offset > 0 { a href=(to((offset - PAGE).max(0))) rel="prev" { "Previous page" } }
                @if last < list.total { a href=(to(offset + PAGE)) rel="next" { "Next page" } }
            }
        }
    })
}

/// Returns the users that match a text: one by its id, and those with a client user id that begins with it.
async fn found(auth: &AuthenticatedPage, team_id: Uuid, wanted: &str) -> Result<Markup, PageError> {
    let mut users: Vec<User> = Vec::new();
    if wanted.parse::<Uuid>().is_ok() {
        match auth.team_call(&GET_USER, team_id, &[wanted]).await?.get().await {
            Ok(user) => users.push(user),
            Err(error) if error.is_not_found() => {}
            Err(error) => return Err(error),
        }
    }
    let team = auth.service.console_team(&auth.organisation, team_id).await?;
    users.extend(auth.service.console_users(team, wanted, MAX_FOUND).await?);
    let is_full = users.len() >= MAX_FOUND;
    Ok(html! {
        (rows(team_id, &users, "No user has this id, or a client user id that begins with it."))
        @if is_full { p.quiet { "These are the first " (MAX_FOUND) ". Type more of the client user id to see others." } }
    })
}

fn rows(team_id: Uuid, users: &[User], empty: &str) -> Markup {
    let rows: Vec<_> = users.iter().map(|user| row(team_id, user)).collect();
    table(
        "Users",
        &["Client user id", "User id", "Providers", "Created"],
        empty,
        &rows,
    )
}

fn row(team_id: Uuid, user: &User) -> Vec<Markup> {
    let to = format!("/console/teams/{team_id}/users/{}/data", user.user_id);
    let providers: Vec<_> = user
        .connected_sources
        .iter()
        .map(|source| source.source.slug.as_str())
        .collect();
    vec![
        html! { a href=(to) { (user.client_user_id) } },
        code(user.user_id.to_string()),
        maybe((!providers.is_empty()).then(|| providers.join(", "))),
        time(user.created_on),
    ]
}
