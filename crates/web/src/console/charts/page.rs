//! Page with a user's charts.

use axum::extract::Path;
use axum::response::Response;
use chrono::{Days, NaiveDate};
use jiff::civil;
use jiff::tz::TimeZone;
use maud::{Markup, html};
use wearlab_models::{IntrospectedResources, User, UserResources};
use wearlab_server::operations::LIST_INTROSPECTED_RESOURCES;
use wearlab_service::zone;

use super::super::authenticated_page::{AuthenticatedPage, parse_id};
use super::super::error::PageError;
use super::super::page::Page;
use super::super::query::url;
use super::super::user;
use super::kind::Chart;
use super::sleep::STAGES;

/// Data of a provider for a chart.
struct Source<'s> {
    provider: &'s str,
    oldest: NaiveDate,
    newest: NaiveDate,
}

/// `GET /console/teams/{team_id}/users/{user_id}/data`
pub(crate) async fn show(
    auth: AuthenticatedPage,
    Path((team_id, user_id)): Path<(String, String)>,
) -> Result<Response, PageError> {
    let (team_id, user_id) = (parse_id(&team_id)?, parse_id(&user_id)?);
    let user = user::read(&auth, team_id, user_id).await?;
    let call = auth.team_call(&LIST_INTROSPECTED_RESOURCES, team_id, &[]).await?;
    let resources: IntrospectedResources = call.query("user_id", Some(user_id)).get().await?;
    let content = html! {
        (user::pages(team_id, user_id, "data"))
        p.quiet { "Times are those of the user: " (user.fallback_time_zone.id) ". Drag over a chart to zoom in." }
        noscript { p.notice { "Charts are drawn by a script. The tables have the same data." } }
        @for chart in Chart::ALL { (figure(&user, chart, &sources(&resources.data, chart))) }
    };
    let title = format!("Data of {}", user.client_user_id);
    let mut trail = user::trail(team_id).to_vec();
    trail.push((
        format!("/console/teams/{team_id}/users/{user_id}"),
        user.client_user_id.clone(),
    ));
    let page = Page {
        charts: true,
        ..Page::new(&auth, &title)
    };
    Ok(page.below(&trail).response(&content))
}

/// Returns the providers with data for a chart, the one with the newest data first.
fn sources(users: &[UserResources], chart: Chart) -> Vec<Source<'_>> {
    let resource = chart.resource();
    let providers = users.iter().flat_map(|user| &user.provider);
    let mut sources: Vec<_> = providers
        .filter_map(|(provider, resources)| {
            let (oldest, newest) = resources
                .get(&resource)
                .and_then(|found| found.oldest_data.zip(found.newest_data))?;
            Some(Source {
                provider,
                oldest,
                newest,
            })
        })
        .collect();
    sources.sort_by_key(|source| std::cmp::Reverse(source.newest));
    sources
}

fn figure(user: &User, chart: Chart, sources: &[Source<'_>]) -> Markup {
    let name = chart.name();
    let id = format!("chart-{name}");
    let Some(first) = sources.first() else {
        return html! {
            section.chart aria-labelledby=(id) {
                h2 id=(id) { (chart.title()) }
                p.empty { "No provider has supplied such data." }
            }
        };
    };
    let zone = zone(&user.fallback_time_zone.id);
    let path = format!("/console/teams/{}/users/{}", user.team_id, user.user_id);
    let end = next_day(first.newest);
    let begin = end.checked_sub_days(Days::new(chart.days())).unwrap_or(end);
    let (from, to) = (midnight(begin, &zone), midnight(end, &zone));
    let (from, to) = (from.to_string(), to.to_string());
    let table = url(
        &format!("{path}/table"),
        &[
            ("chart", Some(name)),
            ("provider", Some(first.provider)),
            ("from", Some(&from)),
            ("to", Some(&to)),
        ],
    );
    html! {
        section.chart aria-labelledby=(id) data-chart=(name) data-path=(path) data-zone=(user.fallback_time_zone.id)
            data-from=(from) data-to=(to) data-adds-up[chart.adds_up()] {
            div.title {
                h2 id=(id) { (chart.title()) }
                div.controls hidden {
                    label for={ (id) "-provider" } { "Provider" }
                    select id={ (id) "-provider" } {
                        @for source in sources {
                            option value=(source.provider)
                                data-oldest=(midnight(source.oldest, &zone))
                                data-newest=(midnight(next_day(source.newest), &zone)) { (source.provider) }
                        }
                    }
                    span.buttons role="group" aria-label={ "Span of " (chart.title()) } {
                        @for (days, text) in [("0.25", "6 hours"), ("1", "Day"), ("7", "Week"), ("30", "Month"), ("365", "Year"), ("all", "All")] {
                            button type="button" data-days=(days) { (text) }
                        }
                    }
                    span.buttons role="group" aria-label={ "Move " (chart.title()) } {
                        button type="button" data-move="-1" { "Earlier" }
                        button type="button" data-move="1" { "Later" }
                    }
                }
            }
            div.plot data-plot="" {}
            @if chart == Chart::HeartRate {
                p.stages { "Sleep:" @for stage in STAGES { " " span class={ "stage " (stage) } { (stage) } } }
            }
            p.summary role="status" data-summary="" {}
            p { a href=(table) data-table="" { "Table of " (chart.title()) } }
        }
    }
}

fn next_day(day: NaiveDate) -> NaiveDate {
    day.checked_add_days(Days::new(1)).unwrap_or(day)
}

/// Returns the start of a day in a time zone, in s since 1970.
fn midnight(day: NaiveDate, zone: &TimeZone) -> i64 {
    use chrono::Datelike as _;
    let parts = || {
        Some((
            i16::try_from(day.year()).ok()?,
            i8::try_from(day.month()).ok()?,
            i8::try_from(day.day()).ok()?,
        ))
    };
    let date = parts().and_then(|(year, month, day)| civil::Date::new(year, month, day).ok());
    let midnight = date.and_then(|date| date.to_zoned(zone.clone()).ok());
    midnight.map_or(0, |midnight| midnight.timestamp().as_second())
}
