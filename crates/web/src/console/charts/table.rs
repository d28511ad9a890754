//! Table view of a chart, for screen readers and for the numbers.

use axum::extract::Path;
use axum::response::Response;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use maud::{Markup, html};
use wearlab_service::zone;

use super::super::authenticated_page::AuthenticatedPage;
use super::super::error::PageError;
use super::super::page::Page;
use super::super::parts::table;
use super::super::query::Query;
use super::super::user;
use super::request::Request;
use super::series::{Points, Series};
use super::sleep::{STAGES, Sleep};

/// Maximum rows.
const ROWS: usize = 200;

/// `GET /console/teams/{team_id}/users/{user_id}/table`
pub(crate) async fn show(
    auth: AuthenticatedPage,
    Path((team_id, user_id)): Path<(String, String)>,
    query: Query,
) -> Result<Response, PageError> {
    let request = Request {
        points: ROWS,
        ..Request::read(&team_id, &user_id, &query)?
    };
    let user = user::read(&auth, request.team_id, request.user_id).await?;
    let zone = zone(&user.fallback_time_zone.id);
    let content = match request.points(&auth).await? {
        Points::Sleep(sleep) => of_sleep(&sleep, &zone),
        Points::Samples(series) => of_samples(&series, request.chart.adds_up(), &zone),
    };
    let content = html! {
        p.quiet {
            "From " (time(request.from, &zone)) " to " (time(request.to, &zone)) ", times of " (user.fallback_time_zone.id)
            ", by " (request.provider) "."
        }
        (content)
    };
    let (team_id, user_id) = (request.team_id, request.user_id);
    let title = format!("{} of {}", request.chart.title(), user.client_user_id);
    let mut trail = user::trail(team_id).to_vec();
    trail.push((
        format!("/console/teams/{team_id}/users/{user_id}/data"),
        format!("Data of {}", user.client_user_id),
    ));
    Ok(Page::new(&auth, &title).below(&trail).response(&content))
}

fn of_samples(series: &Series, adds_up: bool, zone: &TimeZone) -> Markup {
    let unit = series.unit.as_deref().unwrap_or_default();
    let number = |value: Option<f64>| html! { (value.map(|value| value.to_string()).unwrap_or_default()) };
    let rows = series.time.iter().enumerate().filter_map(|(index, at)| {
        let value = series.value.get(index).copied().flatten()?;
        let mut row = vec![html! { (time(*at, zone)) }, number(Some(value))];
        if !adds_up {
            row.extend([&series.low, &series.high].map(|values| number(values.get(index).copied().flatten())));
        }
        Some(row)
    });
    let columns: &[&str] = if adds_up {
        &["From", "Sum"]
    } else {
        &["From", "Mean", "Lowest", "Highest"]
    };
    let caption = format!("Values in {unit}, of {} samples", series.count);
    table(
        &caption,
        columns,
        "There are no samples in this span.",
        &rows.collect::<Vec<_>>(),
    )
}

fn of_sleep(sleep: &Sleep, zone: &TimeZone) -> Markup {
    let rows = sleep.by_night.iter().map(|(start, end, lengths)| {
        let mut row = vec![html! { (time(*start, zone)) }, html! { (time(*end, zone)) }];
        row.extend(lengths.iter().map(|length| html! { (length / 60) }));
        row
    });
    let columns: Vec<_> = ["From", "To"].into_iter().chain(STAGES).collect();
    let caption = format!("Minutes of each stage; slept {} times", sleep.nights);
    table(
        &caption,
        &columns,
        "There is no sleep in this span.",
        &rows.collect::<Vec<_>>(),
    )
}

/// Formats a time of the user, to the minute.
fn time(second: i64, zone: &TimeZone) -> String {
    let at = Timestamp::from_second(second).unwrap_or_default();
    at.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M").to_string()
}
