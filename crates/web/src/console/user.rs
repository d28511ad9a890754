//! Page of a user: its data, connections and devices.

use axum::extract::Path;
use axum::response::Response;
use maud::{Markup, html};
use wearlab_models::{ConnectedProviderList, Device, PullTaskList, User, Uuid};
use wearlab_server::operations::{GET_USER, LIST_PULLS, LIST_USER_DEVICES, LIST_USER_PROVIDERS};

use super::authenticated_page::{AuthenticatedPage, parse_id};
use super::connection;
use super::error::PageError;
use super::page::Page;
use super::parts::{code, facts, maybe, table, time};
use super::query::url;

/// `GET /console/teams/{team_id}/users/{user_id}`
pub(super) async fn show(
    auth: AuthenticatedPage,
    Path((team_id, user_id)): Path<(String, String)>,
) -> Result<Response, PageError> {
    let (team_id, user_id) = (parse_id(&team_id)?, parse_id(&user_id)?);
    let id = user_id.to_string();
    let user = read(&auth, team_id, user_id).await?;
    let connections = auth.team_call(&LIST_USER_PROVIDERS, team_id, &[&id]).await?;
    let connections: ConnectedProviderList = connections.get().await?;
    let devices = auth.team_call(&LIST_USER_DEVICES, team_id, &[&id]).await?;
    let devices: Vec<Device> = devices.get().await?;
    let devices: Vec<_> = devices.iter().map(device).collect();
    let pulls: PullTaskList = auth.call(&LIST_PULLS, &[&team_id.to_string(), &id]).get().await?;
    let place = format!("/console/teams/{team_id}/users/{user_id}");
    let content = html! {
        (pages(team_id, user_id, ""))
        (about(&user))
        section aria-labelledby="connections" {
            h2 #connections { "Connections" }
            @if connections.providers.is_empty() { p.empty { "The user is connected with no provider." } }
            @for connection in &connections.providers { (connection::card(&auth, &place, connection, &pulls.pulls)) }
        }
        section aria-labelledby="devices" {
            h2 #devices { "Devices" }
            (table("Devices of the user", &["Model", "Manufacturer", "Type", "Provider", "Version"], "No device was seen.", &devices))
        }
    };
    let trail = trail(team_id);
    let page = Page::new(&auth, &user.client_user_id).below(&trail);
    let page = if pulls.pulls.iter().any(connection::changes) {
        page.live()
    } else {
        page
    };
    Ok(page.response(&content))
}

/// Reads a user.
pub(super) async fn read(auth: &AuthenticatedPage, team_id: Uuid, user_id: Uuid) -> Result<User, PageError> {
    auth.team_call(&GET_USER, team_id, &[&user_id.to_string()])
        .await?
        .get()
        .await
}

/// Returns the parent pages of a user.
pub(super) fn trail(team_id: Uuid) -> [(String, String); 2] {
    [
        ("/console/teams".to_owned(), "Teams".to_owned()),
        (format!("/console/teams/{team_id}"), format!("Team {team_id}")),
    ]
}

/// Links to the pages of a user.
pub(super) fn pages(team_id: Uuid, user_id: Uuid, current: &str) -> Markup {
    let (team, user) = (format!("/console/teams/{team_id}"), user_id.to_string());
    let of_user = [("user_id", Some(user.as_str()))];
    let pages = [
        ("data", format!("{team}/users/{user}/data"), "Data"),
        ("", format!("{team}/users/{user}"), "Connections and devices"),
        ("pulls", url(&format!("{team}/pulls"), &of_user), "Historical pulls"),
        ("orders", url(&format!("{team}/orders"), &of_user), "Lab orders"),
        ("events", url("/console/events", &of_user), "Events"),
    ];
    html! {
        nav.tabs aria-label="User" {
            @for (name, url, text) in &pages {
                a href=(url) aria-current=[(*name == current).then_some("page")] { (text) }
            }
        }
    }
}

fn about(user: &User) -> Markup {
    let date = |date: Option<wearlab_models::NaiveDate>| maybe(date.map(|date| date.to_string()));
    facts(&[
        ("User id", code(user.user_id.to_string())),
        ("Created", time(user.created_on)),
        ("Time zone", html! { (user.fallback_time_zone.id) }),
        ("Ingestion from", date(user.ingestion_start)),
        ("Ingestion to", date(user.ingestion_end)),
    ])
}

fn device(device: &Device) -> Vec<Markup> {
    vec![
        maybe(device.device_model.as_deref()),
        maybe(device.device_manufacturer.as_deref()),
        html! { (device.source_type.as_str()) },
        code(&device.provider),
        maybe(device.device_version.as_deref()),
    ]
}
