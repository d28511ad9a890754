//! Page of a user: its data, connections and devices.

use axum::extract::Path;
use axum::response::Response;
use maud::{Markup, html};
use wearlab_models::{
    ConnectedProvider, ConnectedProviderList, ConnectionStatus, Device, ResourceAvailabilityStatus, ScopeSet, User,
    Uuid,
};
use wearlab_server::operations::{GET_USER, LIST_USER_DEVICES, LIST_USER_PROVIDERS};

use super::authenticated_page::{AuthenticatedPage, parse_id};
use super::error::PageError;
use super::page::Page;
use super::parts::{Tone, code, facts, maybe, none, state, table, time};
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
    let content = html! {
        (pages(team_id, user_id, ""))
        (about(&user))
        section aria-labelledby="connections" {
            h2 #connections { "Connections" }
            @if connections.providers.is_empty() { p.empty { "The user is connected with no provider." } }
            @for connection in &connections.providers { (card(connection)) }
        }
        section aria-labelledby="devices" {
            h2 #devices { "Devices" }
            (table("Devices of the user", &["Model", "Manufacturer", "Type", "Provider", "Version"], "No device was seen.", &devices))
        }
    };
    let trail = trail(team_id);
    Ok(Page::new(&auth, &user.client_user_id).below(&trail).response(&content))
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

fn card(connection: &ConnectedProvider) -> Markup {
    let tone = match connection.status {
        ConnectionStatus::Connected => Tone::Good,
        ConnectionStatus::Error => Tone::Bad,
        _ => Tone::Waiting,
    };
    let resources = connection.resource_availability.iter().map(|(name, availability)| {
        let tone = match availability.status {
            ResourceAvailabilityStatus::Available => Tone::Good,
            _ => Tone::Bad,
        };
        let scopes = &availability.scope_requirements;
        vec![
            code(name.as_str()),
            state(availability.status.as_str(), tone),
            scope_names(&scopes.user_granted),
            scope_names(&scopes.user_denied),
        ]
    });
    let resources: Vec<_> = resources.collect();
    let name = format!("Resources of {}", connection.name);
    html! {
        article.box {
            h3 { (connection.name) " " (state(connection.status.as_str(), tone)) }
            p.quiet { (code(&connection.slug)) ", connected " (time(connection.created_on)) }
            @if let Some(error) = &connection.error_details {
                p {
                    @if let Some(kind) = &error.error_type { (code(kind)) " " }
                    (error.error_message.as_deref().unwrap_or("The provider refused."))
                    @if let Some(at) = error.errored_at { " (" (time(at)) ")" }
                }
            }
            @if !resources.is_empty() {
                details {
                    summary { (resources.len()) " resources with their scopes" }
                    (table(&name, &["Resource", "Status", "Granted", "Denied"], "", &resources))
                }
            }
        }
    }
}

fn scope_names(scopes: &ScopeSet) -> Markup {
    if scopes.required.is_empty() && scopes.optional.is_empty() {
        return none();
    }
    html! {
        @for scope in &scopes.required { (code(scope)) " " }
        @for scope in &scopes.optional { (code(scope)) " (optional) " }
    }
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
