//! Pages of the event log: the latest events, and one event with its deliveries.

use axum::extract::Path;
use axum::response::Response;
use maud::{Markup, html};
use wearlab_models::{
    DeliveryAttempt, DeliveryAttemptList, DeliveryAttemptOutcome, EventList, LoggedEvent, ReplayedEvent,
};
use wearlab_server::operations::{GET_EVENT, LIST_EVENT_ATTEMPTS, LIST_EVENTS, REPLAY_EVENT};

use super::authenticated_page::AuthenticatedPage;
use super::error::PageError;
use super::form::{Form, button};
use super::page::Page;
use super::parts::{Tone, code, count, facts, id_link, link, maybe, next, state, table, time};
use super::query::{Query, url};

const PATH: &str = "/console/events";

/// Page size, in events.
const PAGE: i64 = 50;

/// `GET /console/events`: the newest first, and live on the first page.
pub(super) async fn list(auth: AuthenticatedPage, query: Query) -> Result<Response, PageError> {
    let filters = ["team_id", "user_id", "event_type"].map(|name| (name, query.get(name)));
    let before: Option<i64> = query.parse("before");
    let mut call = auth.call(&LIST_EVENTS, &[]).query("limit", Some(PAGE));
    call = call.query("before", Some(before.unwrap_or(i64::MAX)));
    for (name, value) in filters {
        call = call.query(name, value);
    }
    let list: EventList = call.get().await?;
    let last = list.more.then(|| list.last.to_string());
    let content = html! {
        form.search role="search" method="get" action=(PATH) {
            @for (name, text) in [("event_type", "Type begins with"), ("team_id", "Team"), ("user_id", "User")] {
                p {
                    label for=(name) { (text) }
                    input id=(name) name=(name) type="search" value=[query.get(name)] autocomplete="off";
                }
            }
            button type="submit" { "Filter" }
        }
        div #events data-live="" {
            (rows(&list.events))
            (next(PATH, &filters, ("before", last.as_deref())))
        }
    };
    let page = Page::new(&auth, "Events");
    // Only the first page changes.
    let page = if before.is_none() { page.live() } else { page };
    Ok(page.response(&content))
}

/// Rows of events, without their payloads.
pub(super) fn rows(events: &[LoggedEvent]) -> Markup {
    let rows: Vec<_> = events.iter().map(row).collect();
    let columns = ["Type", "Created", "User", "Team", "Number"];
    table("Events", &columns, "There are no events.", &rows)
}

fn row(event: &LoggedEvent) -> Vec<Markup> {
    let (team, user) = (event.team_id.to_string(), event.user_id.to_string());
    vec![
        link(&format!("{PATH}/{}", event.event_id), &event.event_type),
        time(event.created_on),
        id_link(&format!("/console/teams/{team}/users/{user}"), &user),
        id_link(&format!("/console/teams/{team}"), &team),
        html! { (count(event.number)) },
    ]
}

/// `GET /console/events/{event_id}`: the payload only on request.
pub(super) async fn show(
    auth: AuthenticatedPage,
    Path(event_id): Path<String>,
    query: Query,
) -> Result<Response, PageError> {
    let shows_payload = query.get("payload").is_some();
    if shows_payload {
        auth.check_admin()?;
    }
    let event: LoggedEvent = auth.call(&GET_EVENT, &[&event_id]).get().await?;
    let attempts: DeliveryAttemptList = auth.call(&LIST_EVENT_ATTEMPTS, &[&event_id]).get().await?;
    let attempts: Vec<_> = attempts.attempts.iter().map(attempt).collect();
    let path = format!("{PATH}/{}", event.event_id);
    let (team, user) = (event.team_id.to_string(), event.user_id.to_string());
    let columns = [
        "Destination",
        "Outcome",
        "Attempted",
        "Took",
        "Attempt",
        "Response",
        "Reason",
    ];
    let content = html! {
        (facts(&[
            ("Event id", code(&event.event_id)),
            ("Number", html! { (count(event.number)) }),
            ("Created", time(event.created_on)),
            ("Team", id_link(&format!("/console/teams/{team}"), &team)),
            ("User", id_link(&format!("/console/teams/{team}/users/{user}"), &user)),
        ]))
        section aria-labelledby="attempts" {
            h2 #attempts { "Delivery attempts" }
            (table("Delivery attempts", &columns, "No attempt is recorded: attempts that succeed at once are not.", &attempts))
            (button(&auth, &format!("{path}/replay"), "Replay", "Replay this event to all its destinations"))
        }
        section aria-labelledby="payload" {
            h2 #payload { "Payload" }
            @if shows_payload {
                pre tabindex="0" { (pretty(&event)) }
            } @else {
                p { "The payload may have health data. " a href=(url(&path, &[("payload", Some("shown"))])) { "Show the payload" } }
            }
        }
    };
    let trail = [(PATH.to_owned(), "Events".to_owned())];
    Ok(Page::new(&auth, &event.event_type).below(&trail).response(&content))
}

fn pretty(event: &LoggedEvent) -> String {
    serde_json::to_string_pretty(&event.payload).unwrap_or_default()
}

fn attempt(attempt: &DeliveryAttempt) -> Vec<Markup> {
    let tone = match attempt.outcome {
        DeliveryAttemptOutcome::Delivered => Tone::Good,
        DeliveryAttemptOutcome::Undelivered => Tone::Bad,
        _ => Tone::Waiting,
    };
    let response = attempt.response.as_ref().map(|response| response.status.to_string());
    vec![
        destination(&attempt.kind, attempt.webhook_id.as_deref()),
        state(attempt.outcome.as_str(), tone),
        time(attempt.attempted_on),
        html! { (count(attempt.duration_ms)) " ms" },
        html! { (attempt.attempt) },
        maybe(response),
        maybe(attempt.reason.as_deref()),
    ]
}

/// Renders a destination: its kind, and the webhook if it is one.
pub(super) fn destination(kind: &str, webhook_id: Option<&str>) -> Markup {
    html! { (kind) @if let Some(id) = webhook_id { " " (code(id)) } }
}

/// `POST /console/events/{event_id}/replay`
pub(super) async fn replay(Path(event_id): Path<String>, form: Form) -> Response {
    let Form { auth, fields } = form;
    let call = auth.call(&REPLAY_EVENT, &[&event_id]).idempotency_key(fields.id());
    let result = call.get::<ReplayedEvent>().await;
    let result = result.map(|replayed| match replayed.destinations {
        0 => "No destination takes this event now.".to_owned(),
        1 => "The event is sent to its destination again.".to_owned(),
        many => format!("The event is sent to {many} destinations again."),
    });
    auth.done(result, &url(&format!("{PATH}/{event_id}"), &[]))
}
