//! Pages of failed deliveries, with their reasons and replays.

use std::time::{Duration, Instant};

use axum::response::Response;
use maud::{Markup, html};
use serde_json::{Map, Value, json};
use wearlab_models::{ReplayedEvents, UndeliveredEvent, UndeliveredList, UndeliveredState};
use wearlab_server::operations::{LIST_UNDELIVERED, REPLAY_EVENTS};

use super::authenticated_page::AuthenticatedPage;
use super::error::PageError;
use super::events::destination;
use super::form::{Form, dangerous};
use super::page::Page;
use super::parts::{Tone, count, id_link, link, maybe_time, next, state, table};
use super::query::{Query, url};

const PATH: &str = "/console/undelivered";

/// Page size, in deliveries.
const PAGE: i64 = 50;

/// Maximum duration of a replay, since a request has a timeout.
const MAX_REPLAY: Duration = Duration::from_secs(5);

/// `GET /console/undelivered`
pub(super) async fn list(auth: AuthenticatedPage, query: Query) -> Result<Response, PageError> {
    let filters = ["team_id", "state"].map(|name| (name, query.get(name)));
    let mut call = auth.call(&LIST_UNDELIVERED, &[]).query("limit", Some(PAGE));
    call = call.query("next_cursor", query.get("next_cursor"));
    for (name, value) in filters {
        call = call.query(name, value);
    }
    let list: UndeliveredList = call.get().await?;
    let replay = url("/console/undelivered/replay", &filters);
    let label = match query.get("team_id") {
        Some(_) => "Replay what is parked of the team",
        None => "Replay what is parked of all teams",
    };
    let states = ["", "waiting", "held", "parked"];
    let content = html! {
        form.search role="search" method="get" action=(PATH) {
            p {
                label for="state" { "State" }
                select #state name="state" {
                    @for name in states {
                        option value=(name) selected[query.get("state").unwrap_or("") == name] { (if name.is_empty() { "any" } else { name }) }
                    }
                }
            }
            p {
                label for="team_id" { "Team" }
                input #team_id name="team_id" type="search" value=[query.get("team_id")] autocomplete="off";
            }
            button type="submit" { "Filter" }
        }
        div #undelivered data-live="" {
            (rows(&list.undelivered))
            (next(PATH, &filters, ("next_cursor", list.next_cursor.as_deref())))
        }
        (dangerous(&auth, &replay, "Replay what is parked", label, "Each is sent to its destination again."))
    };
    Ok(Page::new(&auth, "Failed deliveries").live().response(&content))
}

/// Rows of failed deliveries.
pub(super) fn rows(undelivered: &[UndeliveredEvent]) -> Markup {
    let rows: Vec<_> = undelivered.iter().map(row).collect();
    let columns = [
        "Event",
        "Destination",
        "State",
        "Reason",
        "Attempts",
        "Next attempt",
        "Team",
    ];
    table("Failed deliveries", &columns, "No delivery failed.", &rows)
}

fn row(one: &UndeliveredEvent) -> Vec<Markup> {
    let team = one.team_id.to_string();
    let tone = match one.state {
        UndeliveredState::Parked => Tone::Bad,
        _ => Tone::Waiting,
    };
    vec![
        link(&format!("/console/events/{}", one.event_id), &one.event_type),
        destination(&one.kind, one.webhook_id.as_deref()),
        state(one.state.as_str(), tone),
        html! { (one.reason) },
        html! { (count(one.attempts)) },
        maybe_time(one.due),
        id_link(&format!("/console/teams/{team}/pipeline"), &team),
    ]
}

/// `POST /console/undelivered/replay`: replays the parked deliveries of the organisation or of a team.
pub(super) async fn replay(query: Query, form: Form) -> Response {
    let auth = form.auth;
    let filters = ["team_id", "state"].map(|name| (name, query.get(name)));
    let back = url(PATH, &filters);
    let began = Instant::now();
    let mut deliveries = 0;
    let mut cursor: Option<String> = None;
    loop {
        let mut selection: Map<String, Value> = Map::new();
        selection.insert("parked".to_owned(), json!(true));
        selection.extend(query.get("team_id").map(|id| ("team_id".to_owned(), json!(id))));
        selection.extend(cursor.take().map(|cursor| ("next_cursor".to_owned(), json!(cursor))));
        let call = auth.call(&REPLAY_EVENTS, &[]).body(&Value::Object(selection));
        match call.get::<ReplayedEvents>().await {
            Ok(replayed) => {
                deliveries += replayed.deliveries;
                cursor = replayed.next_cursor;
            }
            Err(error) => {
                let text = format!("{} are sent again. Then: {}", count(deliveries), error.text());
                return auth.done(Err(PageError::Outcome(text)), &back);
            }
        }
        if cursor.is_none() {
            let text = match deliveries {
                0 => "No event is parked.".to_owned(),
                1 => "One parked event is sent again.".to_owned(),
                many => format!("{} parked events are sent again.", count(many)),
            };
            return auth.done(Ok(text), &back);
        }
        if began.elapsed() > MAX_REPLAY {
            let text = format!(
                "{} parked events are sent again; others are still parked.",
                count(deliveries)
            );
            return auth.done(Ok(text), &back);
        }
    }
}
