//! Page of the service itself: its version, its store, and its response times, from the metrics of this process.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Extension;
use axum::response::Response;
use maud::{Markup, html};
use wearlab_http::{Backend, Metrics};

use super::authenticated_page::AuthenticatedPage;
use super::error::PageError;
use super::page::Page;
use super::parts::{Tone, code, count, facts, maybe, none, state, table};
use crate::metrics_text::{Buckets, MetricsText};

/// `GET /console/service`
pub(super) async fn show(
    auth: AuthenticatedPage,
    Extension(metrics): Extension<Arc<Metrics>>,
) -> Result<Response, PageError> {
    // It has data of all organisations.
    auth.check_admin()?;
    let text = metrics
        .text(auth.service.store_state().await)
        .map_err(PageError::internal)?;
    let metrics = MetricsText::parse(&text).map_err(PageError::internal)?;
    let content = html! {
        p.quiet { "Of this process, since it started." }
        div #service data-live="" { (about(&metrics)) }
        section aria-labelledby="operations" {
            h2 #operations { "Requests" }
            div #requests data-live="" { (requests(&metrics)) }
        }
    };
    Ok(Page::new(&auth, "Service").live().response(&content))
}

fn about(metrics: &MetricsText) -> Markup {
    let version = metrics.samples("wearlab_build_info").first();
    let version = version.map(|build| build.label("version").to_owned());
    let of = |name: &str| metrics.sum(name).map(whole);
    let number = |name: &str| of(name).map_or_else(none, |number| html! { (count(number)) });
    let lost =
        of("wearlab_log_lines_dropped_total").unwrap_or(0) + of("wearlab_events_pruned_undelivered_total").unwrap_or(0);
    facts(&[
        ("Version", maybe(version)),
        ("Up for", maybe(of("wearlab_uptime_seconds").map(uptime))),
        ("Size of the store", maybe(of("wearlab_store_size_bytes").map(size))),
        ("Last event", number("wearlab_events_last_number")),
        ("Connections", number("wearlab_http_connections")),
        ("Requests in progress", number("wearlab_http_requests_in_flight")),
        ("Lines of ingest and import", number("wearlab_intake_lines_total")),
        (
            "Lost log lines and expired events",
            match lost {
                0 => html! { "0" },
                lost => state(&count(lost), Tone::Bad),
            },
        ),
    ])
}

fn requests(metrics: &MetricsText) -> Markup {
    let mut errors: BTreeMap<&str, f64> = BTreeMap::new();
    for sample in metrics.samples("wearlab_http_requests_total") {
        let failed = sample.label("status").starts_with('5');
        *errors.entry(sample.label("operation")).or_default() += if failed { sample.value } else { 0.0 };
    }
    let durations = metrics.histograms("wearlab_http_request_duration_seconds", "operation");
    let mut durations: Vec<_> = durations.iter().collect();
    durations.sort_by(|(_, one), (_, other)| other.count().total_cmp(&one.count()));
    let rows = durations.iter().map(|(operation, buckets)| {
        let failed = errors.get(operation.as_str()).copied().unwrap_or_default();
        row(operation, buckets, whole(failed))
    });
    let columns = ["Operation", "Requests", "Failed", "Median", "95 %", "99 %"];
    table(
        "Requests by operation",
        &columns,
        "There were no requests.",
        &rows.collect::<Vec<_>>(),
    )
}

fn row(operation: &str, buckets: &Buckets, failed: i64) -> Vec<Markup> {
    let quantile = |part: f64| maybe(buckets.quantile(part).map(milliseconds));
    vec![
        // Pages and probes are not operations.
        if operation == "none" {
            html! { "pages and others" }
        } else {
            code(operation)
        },
        html! { (count(whole(buckets.count()))) },
        match failed {
            0 => html! { "0" },
            failed => state(&count(failed), Tone::Bad),
        },
        quantile(0.5),
        quantile(0.95),
        quantile(0.99),
    ]
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "counts and seconds are far from the bounds"
)]
fn whole(number: f64) -> i64 {
    number as i64
}

fn milliseconds(seconds: f64) -> String {
    format!("{:.2} ms", seconds * 1_000.0)
}

fn uptime(seconds: i64) -> String {
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    match (days, hours) {
        (0, 0) => format!("{minutes} min"),
        (0, hours) => format!("{hours} h {minutes} min"),
        (days, hours) => format!("{days} days {hours} h"),
    }
}

fn size(bytes: i64) -> String {
    let mut size = bytes as f64;
    for unit in ["bytes", "kB", "MB", "GB"] {
        if size < 1_000.0 {
            return if unit == "bytes" {
                format!("{bytes} bytes")
            } else {
                format!("{size:.1} {unit}")
            };
        }
        size /= 1_000.0;
    }
    format!("{size:.1} TB")
}

#[cfg(test)]
mod tests {
    use super::{requests, size, uptime};
    use crate::metrics_text::MetricsText;

    #[test]
    fn sizes_and_times_have_a_unit_that_fits() {
        for (bytes, text) in [
            (0, "0 bytes"),
            (999, "999 bytes"),
            (1_500, "1.5 kB"),
            (12_345_678, "12.3 MB"),
            (2_000_000_000_000, "2.0 TB"),
        ] {
            assert_eq!(size(bytes), text);
        }
        for (seconds, text) in [(59, "0 min"), (7_300, "2 h 1 min"), (200_000, "2 days 7 h")] {
            assert_eq!(uptime(seconds), text);
        }
    }

    #[test]
    fn requests_are_by_operation_with_failures_and_latencies() {
        let text = "wearlab_http_requests_total{operation=\"get_user\",method=\"GET\",status=\"200\"} 9\n\
            wearlab_http_requests_total{operation=\"get_user\",method=\"GET\",status=\"503\"} 1\n\
            wearlab_http_request_duration_seconds_bucket{le=\"0.001\",operation=\"get_user\"} 10\n\
            wearlab_http_request_duration_seconds_bucket{le=\"+Inf\",operation=\"get_user\"} 10\n";
        let metrics = MetricsText::parse(text).expect("metrics");
        let page = requests(&metrics).into_string();
        assert!(
            page.contains("<code>get_user</code>") && page.contains("<td>10</td>"),
            "{page}"
        );
        assert!(
            page.contains(">1</span>") && page.contains("<td>0.50 ms</td>"),
            "{page}"
        );
    }
}
