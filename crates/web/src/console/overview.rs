//! Overview page: state of the destinations, and the latest events and failures.

use axum::response::Response;
use maud::{Markup, html};
use wearlab_models::{Destination, DestinationList, DestinationStatus, EventList, UndeliveredList};
use wearlab_server::operations::{LIST_DESTINATIONS, LIST_EVENTS, LIST_UNDELIVERED};

use super::authenticated_page::AuthenticatedPage;
use super::error::PageError;
use super::page::Page;
use super::parts::{age, count};
use super::{destinations, events, providers, undelivered};

/// Number of events and failed deliveries on the page.
const ROWS: i64 = 10;

/// `GET /console`
pub(super) async fn show(auth: AuthenticatedPage) -> Result<Response, PageError> {
    let destinations: DestinationList = auth.call(&LIST_DESTINATIONS, &[]).get().await?;
    let failed = auth.call(&LIST_UNDELIVERED, &[]).query("limit", Some(ROWS));
    let failed: UndeliveredList = failed.get().await?;
    let latest = auth.call(&LIST_EVENTS, &[]).query("before", Some(i64::MAX));
    let latest: EventList = latest.query("limit", Some(ROWS)).get().await?;
    let content = html! {
        (providers::secret_key_notice(&auth))
        div #summary data-live="" { (summary(&auth, &destinations)) }
        section aria-labelledby="down" {
            h2 #down { "Destinations that need attention" }
            div #attention data-live="" {
                (destinations::rows(&auth, "Destinations that need attention", destinations.destinations.iter().filter(|destination| {
                    needs_attention(destination)
                }), "No destination is down, and none has parked events."))
            }
            p { a href="/console/destinations" { "All destinations" } }
        }
        section aria-labelledby="failed" {
            h2 #failed { "Failed deliveries" }
            div #undelivered data-live="" { (undelivered::rows(&failed.undelivered)) }
            p { a href="/console/undelivered" { "All failed deliveries" } }
        }
        section aria-labelledby="latest" {
            h2 #latest { "Latest events" }
            div #events data-live="" { (events::rows(&latest.events)) }
            p { a href="/console/events" { "All events" } }
        }
    };
    Ok(Page::new(&auth, "Overview").live().response(&content))
}

/// Returns whether events are sent to a destination, or would be if it worked.
fn is_served(destination: &Destination) -> bool {
    !matches!(
        destination.status,
        DestinationStatus::NotEnabled | DestinationStatus::Disabled
    )
}

/// Returns whether an operator has to fix a destination. One that its pipeline does not enable is fine.
fn needs_attention(destination: &Destination) -> bool {
    let is_fine = [DestinationStatus::Up, DestinationStatus::NotEnabled].contains(&destination.status);
    !is_fine || destination.parked > 0
}

fn summary(auth: &AuthenticatedPage, list: &DestinationList) -> Markup {
    // Events of a destination that is not enabled do not count as waiting.
    let served: Vec<_> = list.destinations.iter().filter(|one| is_served(one)).collect();
    let up = served.iter().filter(|one| one.status == DestinationStatus::Up).count();
    let sum = |destinations: &[&Destination], of: fn(&Destination) -> i64| {
        let counts = || destinations.iter().map(|one| of(one));
        let text = count(counts().sum());
        // Each count stops at 10,000.
        if counts().any(|count| count >= 10_000) {
            format!("at least {text}")
        } else {
            text
        }
    };
    let all: Vec<_> = list.destinations.iter().collect();
    let oldest = served.iter().filter_map(|one| one.oldest).min();
    let oldest = oldest.map_or_else(|| "\u{2013}".to_owned(), |since| age(since, auth.service.time()));
    let tiles = [
        (
            "Destinations up",
            match served.len() {
                0 => "none in use".to_owned(),
                count => format!("{up} of {count}"),
            },
        ),
        ("Events waiting", sum(&served, |one| one.waiting)),
        ("Oldest waits for", oldest),
        ("Events parked", sum(&all, |one| one.parked)),
    ];
    html! {
        dl.tiles {
            @for (name, value) in tiles { div { dt { (name) } dd { (value) } } }
        }
    }
}
