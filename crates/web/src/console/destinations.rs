//! Pages of destinations: the state of each, and the pipeline of a team.

use axum::extract::Path;
use axum::response::Response;
use maud::{Markup, html};
use wearlab_models::{Destination, DestinationList, DestinationStatus, DestinationTest, Pipeline, PipelineTest};
use wearlab_server::operations::{GET_PIPELINE, LIST_DESTINATIONS, TEST_PIPELINE};

use super::authenticated_page::{AuthenticatedPage, parse_id};
use super::error::PageError;
use super::events::destination;
use super::form::{Form, button};
use super::page::Page;
use super::parts::{
    Tone, age, count, counted, facts, id_link, link, maybe, maybe_time, none, state, table, team_pages,
};
use super::query::url;

/// `GET /console/destinations`
pub(super) async fn list(auth: AuthenticatedPage) -> Result<Response, PageError> {
    let list: DestinationList = auth.call(&LIST_DESTINATIONS, &[]).get().await?;
    let empty = "No team has a pipeline or a webhook.";
    let content = html! {
        div #destinations data-live="" { (rows(&auth, "Destinations", list.destinations.iter(), empty)) }
    };
    Ok(Page::new(&auth, "Destinations").live().response(&content))
}

/// Maximum destinations on a page: an organisation may have thousands.
const MAX_ROWS: usize = 200;

/// Rows of destinations, those that need attention first.
pub(super) fn rows<'d>(
    auth: &AuthenticatedPage,
    caption: &str,
    destinations: impl Iterator<Item = &'d Destination>,
    empty: &str,
) -> Markup {
    let mut destinations: Vec<_> = destinations.collect();
    destinations.sort_by_key(|one| (one.status == DestinationStatus::Up, -one.parked, -one.waiting));
    let others = destinations.len().saturating_sub(MAX_ROWS);
    let rows: Vec<_> = destinations.iter().take(MAX_ROWS).map(|one| row(auth, one)).collect();
    let columns = [
        "Destination",
        "Team",
        "Status",
        "Waiting",
        "Oldest",
        "Parked",
        "Since",
        "Next attempt",
        "Reason",
    ];
    html! {
        (table(caption, &columns, empty, &rows))
        @if others > 0 { p.quiet { (count(i64::try_from(others).unwrap_or(i64::MAX))) " others; see them by their team." } }
    }
}

fn row(auth: &AuthenticatedPage, one: &Destination) -> Vec<Markup> {
    let team = one.team_id.to_string();
    let tone = match one.status {
        DestinationStatus::Up => Tone::Good,
        DestinationStatus::Down | DestinationStatus::Unusable => Tone::Bad,
        _ => Tone::Plain,
    };
    let parked = url(
        "/console/undelivered",
        &[("team_id", Some(&team)), ("state", Some("parked"))],
    );
    vec![
        destination(&one.kind, one.webhook_id.as_deref()),
        id_link(&format!("/console/teams/{team}/pipeline"), &team),
        state(one.status.as_str(), tone),
        match one.status {
            // These events are kept and not sent.
            DestinationStatus::NotEnabled | DestinationStatus::Disabled => none(),
            _ => html! { (counted(one.waiting)) },
        },
        one.oldest
            .filter(|_| !matches!(one.status, DestinationStatus::NotEnabled | DestinationStatus::Disabled))
            .map_or_else(none, |since| html! { (age(since, auth.service.time())) }),
        match one.parked {
            0 => html! { "0" },
            parked_events => link(&parked, counted(parked_events)),
        },
        maybe_time(one.since),
        maybe_time(one.next_attempt),
        maybe(one.reason.as_deref()),
    ]
}

/// `GET /console/teams/{team_id}/pipeline`
pub(super) async fn pipeline(auth: AuthenticatedPage, Path(team_id): Path<String>) -> Result<Response, PageError> {
    show_pipeline(&auth, &team_id, None).await
}

/// `POST /console/teams/{team_id}/pipeline/test`: a page with the outcome.
pub(super) async fn test_pipeline(Path(team_id): Path<String>, form: Form) -> Result<Response, PageError> {
    let Form { auth, .. } = form;
    let team = parse_id(&team_id)?.to_string();
    match auth.call(&TEST_PIPELINE, &[&team]).get::<PipelineTest>().await {
        Ok(test) => show_pipeline(&auth, &team_id, Some(&test)).await,
        Err(error) => Ok(auth.done(Err(error), &format!("/console/teams/{team}/pipeline"))),
    }
}

async fn show_pipeline(
    auth: &AuthenticatedPage,
    team_id: &str,
    test: Option<&PipelineTest>,
) -> Result<Response, PageError> {
    let team_id = parse_id(team_id)?;
    let team = team_id.to_string();
    let pipeline = match auth.call(&GET_PIPELINE, &[&team]).get::<Pipeline>().await {
        Ok(pipeline) => Some(pipeline),
        Err(error) if error.is_not_found() => None,
        Err(error) => return Err(error),
    };
    let call = auth.call(&LIST_DESTINATIONS, &[]).query("team_id", Some(&team));
    let list: DestinationList = call.get().await?;
    let content = html! {
        (team_pages(&team, "/pipeline"))
        @if let Some(pipeline) = &pipeline {
            (settings(pipeline))
        } @else {
            p.empty { "The team has no pipeline: its events go to its webhooks." }
        }
        section aria-labelledby="destinations" {
            h2 #destinations { "Destinations" }
            (rows(auth, "Destinations of the team", list.destinations.iter(), "The team has no destinations."))
        }
        @if let Some(test) = test {
            section aria-labelledby="test" {
                h2 #test { "Test" }
                (table("What came of the test", &["Destination", "Target", "Delivered", "Reason"], "There was nothing to test.",
                    &test.results.iter().map(tested).collect::<Vec<_>>()))
            }
        }
        (button(auth, &format!("/console/teams/{team}/pipeline/test"), "Send a test event", "Send a test event to each target"))
    };
    let trail = [
        ("/console/teams".to_owned(), "Teams".to_owned()),
        (format!("/console/teams/{team}"), format!("Team {team}")),
    ];
    Ok(Page::new(auth, "Pipeline").below(&trail).response(&content))
}

fn tested(test: &DestinationTest) -> Vec<Markup> {
    vec![
        destination(&test.kind, test.webhook_id.as_deref()),
        maybe(test.target.as_deref()),
        match test.delivered {
            true => state("delivered", Tone::Good),
            false => state("not delivered", Tone::Bad),
        },
        maybe(test.reason.as_deref()),
    ]
}

/// Settings of a pipeline, without those of its destinations.
fn settings(pipeline: &Pipeline) -> Markup {
    let enabled: Vec<_> = pipeline.preferences.enabled.iter().map(|kind| kind.as_str()).collect();
    let or = |texts: &[String], none: &str| match texts {
        [] => none.to_owned(),
        texts => texts.join(", "),
    };
    let yes = |whether: bool| html! { (if whether { "yes" } else { "no" }) };
    facts(&[
        ("Enabled", html! { (enabled.join(", ")) }),
        ("Preferred", html! { (pipeline.preferences.preferred.as_str()) }),
        ("Event types", html! { (or(&pipeline.event_type_prefixes, "all")) }),
        ("Historical data", yes(pipeline.push_historical_data)),
        ("Raw data of providers", yes(pipeline.provider_raw_data)),
    ])
}
