//! Values of a view as text, for the terminal and the plain output.

use super::view::{Destination, Operation, View};
use crate::cli::output;

/// Placeholder of an unknown value.
const UNKNOWN: &str = "-";

pub(super) const OPERATION_HEAD: [&str; 7] = ["OPERATION", "REQ/S", "TOTAL", "5XX", "P50", "P95", "P99"];
pub(super) const DESTINATION_HEAD: [&str; 8] = [
    "TEAM", "KIND", "STATE", "BACKLOG", "OLDEST", "PARKED", "SENT/S", "FAILED/S",
];

impl Operation {
    pub(super) fn cells(&self) -> [String; 7] {
        let [p50, p95, p99] = self.quantiles.map(latency);
        [
            self.name.clone(),
            rate(self.rate),
            count(self.total),
            count(self.errors),
            p50,
            p95,
            p99,
        ]
    }
}

impl Destination {
    pub(super) fn state(&self) -> &'static str {
        match self.up {
            Some(true) => "up",
            Some(false) => "DOWN",
            None => UNKNOWN,
        }
    }

    pub(super) fn cells(&self) -> [String; 8] {
        let oldest = match self.backlog > 0.0 {
            true => age(self.oldest),
            false => UNKNOWN.to_owned(),
        };
        [
            self.team.clone(),
            self.kind.clone(),
            self.state().to_owned(),
            count(self.backlog),
            oldest,
            count(self.parked),
            rate(self.attempts),
            rate(self.failures),
        ]
    }
}

impl View {
    /// Returns names and values of the summary, in lines.
    pub(super) fn summary(&self) -> [Vec<(&'static str, String)>; 3] {
        let known = |value: Option<f64>| value.map_or_else(|| UNKNOWN.to_owned(), count);
        [
            vec![
                ("requests/s", rate(self.requests)),
                ("in progress", known(self.in_progress)),
                ("connections", known(self.connections)),
                ("store", self.store_bytes.map_or_else(|| UNKNOWN.to_owned(), bytes)),
            ],
            vec![
                ("lines/s", rate(self.accepted)),
                ("rejected/s", rate(self.rejected)),
                ("events/s", rate(self.events)),
            ],
            vec![
                ("undelivered", count(self.backlog)),
                ("parked", count(self.parked)),
                ("lost", count(self.lost)),
            ],
        ]
    }

    /// Returns a title such as `wearlab 0.1.0, up 2h5m`, without unknown parts.
    pub(super) fn title(&self) -> String {
        let version = match self.version.as_str() {
            "" => String::new(),
            version => format!(" {version}"),
        };
        let uptime = self
            .uptime
            .map_or_else(String::new, |uptime| format!(", up {}", age(uptime)));
        format!("wearlab{version}{uptime}")
    }
}

fn age(seconds: f64) -> String {
    #[expect(clippy::cast_possible_truncation, reason = "whole seconds are shown")]
    output::age(seconds as i64)
}

/// Formats a count in four characters or little more.
fn count(value: f64) -> String {
    match value {
        _ if value < 10_000.0 => format!("{value:.0}"),
        _ if value < 1e6 => format!("{:.0}k", value / 1e3),
        _ if value < 1e7 => format!("{:.1}M", value / 1e6),
        _ => format!("{:.0}M", value / 1e6),
    }
}

fn rate(value: Option<f64>) -> String {
    match value {
        None => UNKNOWN.to_owned(),
        Some(0.0) => "0".to_owned(),
        Some(value) if value < 100.0 => format!("{value:.1}"),
        Some(value) => count(value),
    }
}

/// Formats a duration, in milliseconds if it is below a second.
fn latency(seconds: Option<f64>) -> String {
    match seconds {
        None => UNKNOWN.to_owned(),
        Some(seconds) if seconds < 0.01 => format!("{:.2}ms", seconds * 1e3),
        Some(seconds) if seconds < 1.0 => format!("{:.0}ms", seconds * 1e3),
        Some(seconds) => format!("{seconds:.1}s"),
    }
}

fn bytes(value: f64) -> String {
    let units = [(1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    let found = units.into_iter().find(|(unit, _)| value >= *unit);
    found.map_or_else(
        || format!("{value:.0} B"),
        |(unit, name)| format!("{:.1} {name}", value / unit),
    )
}

#[cfg(test)]
mod tests {
    use super::{bytes, count, latency, rate};

    #[test]
    fn values_are_short() {
        assert_eq!(
            [0.0, 9999.0, 123_456.0, 1_234_567.0, 98_765_432.0].map(count),
            ["0", "9999", "123k", "1.2M", "99M"]
        );
        assert_eq!(
            [None, Some(0.0), Some(0.25), Some(4321.0)].map(rate),
            ["-", "0", "0.2", "4321"]
        );
        let seconds = [None, Some(0.000_4), Some(0.123), Some(2.5)];
        assert_eq!(seconds.map(latency), ["-", "0.40ms", "123ms", "2.5s"]);
        assert_eq!(
            [12.0, 4096.0, 7.2e6, 3.21e9].map(bytes),
            ["12 B", "4.1 kB", "7.2 MB", "3.2 GB"]
        );
    }
}
