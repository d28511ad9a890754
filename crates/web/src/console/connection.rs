//! Connection of a user: its state, its pulls by a connector, and its resources.

use std::collections::BTreeMap;

use axum::extract::Path;
use axum::response::Response;
use maud::{Markup, html};
use serde_json::json;
use wearlab_models::{
    ConnectedProvider, ConnectionStatus, PullStatus, PullTask, PullTaskKind, ResourceAvailabilityStatus, ScopeSet,
};
use wearlab_server::operations::PULL_AGAIN;

use super::authenticated_page::{AuthenticatedPage, parse_id};
use super::error::PageError;
use super::form::{Form, button, dangerous};
use super::parts::{Tone, code, maybe_time, none, state, table, time};

/// Actions of a connection, the last segment of their paths.
const PULL: &str = "pull";
const PULL_ALL: &str = "pull_all";

/// Renders a connection of the user whose page has a path: its state, its pulls and its resources.
pub(super) fn card(
    auth: &AuthenticatedPage,
    place: &str,
    connection: &ConnectedProvider,
    pulls: &[PullTask],
) -> Markup {
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
            (pulls_of(auth, place, connection, pulls))
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

/// Pulls of the resources that a connector pulls together.
#[derive(Default)]
struct Collection<'p> {
    recent: Option<&'p PullTask>,
    history: Option<&'p PullTask>,
}

/// Returns whether the status of a pull changes soon.
pub(super) fn changes(pull: &PullTask) -> bool {
    match pull.status {
        PullStatus::InProgress | PullStatus::Retrying => true,
        PullStatus::Scheduled => pull.attempted_at.is_none() && pull.kind != PullTaskKind::Link,
        _ => false,
    }
}

/// Renders the pulls of a connection, and the buttons that pull again. Nothing, if no connector of the service pulls it.
fn pulls_of(auth: &AuthenticatedPage, place: &str, connection: &ConnectedProvider, pulls: &[PullTask]) -> Markup {
    let slug = &connection.slug;
    let (mut collections, mut link) = (BTreeMap::<&str, Collection<'_>>::new(), None);
    for pull in pulls.iter().filter(|pull| pull.provider == *slug) {
        let collection = collections.entry(pull.collection.as_deref().unwrap_or_default());
        match pull.kind {
            PullTaskKind::Recent => collection.or_default().recent = Some(pull),
            PullTaskKind::History => collection.or_default().history = Some(pull),
            _ => link = Some(pull),
        }
    }
    let rows: Vec<_> = collections
        .iter()
        .map(|(name, collection)| row(name, collection))
        .collect();
    // Before its first attempt, a connector may not exist.
    let link =
        link.filter(|link| link.status != PullStatus::Success && (link.attempted_at.is_some() || !rows.is_empty()));
    if rows.is_empty() && link.is_none() {
        return html! {};
    }
    let columns = ["Data", "Last days", "Last attempt", "Next attempt", "History", "Reason"];
    let action = |action: &str| format!("{place}/connections/{slug}/{action}");
    let name = &connection.name;
    html! {
        div id={ "pulls-" (slug) } data-live="" {
            @if let Some(link) = link {
                p {
                    (status(link)) " The account of the user is not read yet."
                    @if let Some(error) = &link.error_details { " " (error) }
                    @if let Some(next) = link.next_attempt_at { " The next attempt is at " (time(next)) "." }
                }
            }
            @if !rows.is_empty() { (table(&format!("Pulls of {name}"), &columns, "", &rows)) }
        }
        div.actions {
            (button(auth, &action(PULL), "Pull again", &format!("Pull the last days of {name} again")))
            (dangerous(
                auth,
                &action(PULL_ALL),
                "Pull everything again",
                &format!("Pull everything of {name} again"),
                "The last days and the whole history are read from the provider again. Each resource gets another historical event.",
            ))
        }
    }
}

fn row(name: &str, collection: &Collection<'_>) -> Vec<Markup> {
    let Collection { recent, history } = collection;
    let error = |pull: &Option<&PullTask>| pull.and_then(|pull| pull.error_details.clone());
    let (recent_error, history_error) = (error(recent), error(history));
    let of_history = history_error.filter(|error| Some(error) != recent_error.as_ref());
    let history_next = history
        .filter(|_| of_history.is_some())
        .and_then(|history| history.next_attempt_at);
    vec![
        code(name),
        recent.map_or_else(none, status),
        maybe_time(recent.and_then(|pull| pull.attempted_at)),
        maybe_time(recent.and_then(|pull| pull.next_attempt_at)),
        history.map_or_else(none, |history| {
            html! {
                (status(history))
                @if let (Some(windows), Some(done)) = (history.windows, history.windows_done) {
                    span.progress {
                        progress max=(windows) value=(done) aria-hidden="true" {}
                        (done) " of " (windows) " parts"
                    }
                }
            }
        }),
        html! {
            @if recent_error.is_none() && of_history.is_none() { (none()) }
            @if let Some(error) = &recent_error { span.reason { (error) } }
            @if let Some(error) = &of_history {
                span.reason {
                    "History: " (error)
                    @if let Some(next) = history_next { " Next attempt: " (time(next)) }
                }
            }
        },
    ]
}

/// Renders the status of a pull in words.
fn status(pull: &PullTask) -> Markup {
    let (text, tone) = match pull.status {
        PullStatus::Success => ("complete", Tone::Good),
        PullStatus::Failure => ("failed", Tone::Bad),
        PullStatus::Retrying => ("retrying", Tone::Waiting),
        PullStatus::InProgress => ("in progress", Tone::Waiting),
        PullStatus::Scheduled if pull.error_details.is_some() => ("waits", Tone::Plain),
        PullStatus::Scheduled if pull.kind == PullTaskKind::Recent && pull.attempted_at.is_some() => {
            ("up to date", Tone::Good)
        }
        PullStatus::Scheduled => ("scheduled", Tone::Plain),
        _ => (pull.status.as_str(), Tone::Plain),
    };
    state(text, tone)
}

/// `POST /console/teams/{team_id}/users/{user_id}/connections/{slug}/{action}`
pub(super) async fn act(
    Path((team_id, user_id, slug, action)): Path<(String, String, String, String)>,
    form: Form,
) -> Result<Response, PageError> {
    let Form { auth, fields } = form;
    let (team_id, user_id) = (parse_id(&team_id)?, parse_id(&user_id)?);
    let (history, text) = match action.as_str() {
        PULL => (false, format!("The last days of {slug} are pulled again.")),
        PULL_ALL => (true, format!("Everything of {slug} is pulled again.")),
        _ => return Err(PageError::not_found()),
    };
    let (team, user) = (team_id.to_string(), user_id.to_string());
    let call = auth
        .call(&PULL_AGAIN, &[&team, &user, &slug])
        .idempotency_key(fields.id());
    let result = call.body(&json!({ "history": history })).act().await;
    let back = format!("/console/teams/{team}/users/{user}");
    Ok(auth.done(result.map(|()| text), &back))
}
