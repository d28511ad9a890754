//! Limits of the application, by the headers of responses.
//!
//! Requests count in two fixed windows: a quarter of an hour from :00, :15, :30 and :45, and a day in UTC. Those beyond a
//! limit are refused without `Retry-After`, and count, too. `X-ReadRateLimit-Limit` is `100,1000`, and
//! `X-ReadRateLimit-Usage` has the requests so far; `X-RateLimit-Limit` and `X-RateLimit-Usage` are those of all requests.

use std::time::Duration;

use chrono::{DateTime, Utc};
use http::HeaderMap;
use wearlab_connect::Refusal;

use crate::headers::two_numbers;

/// Lengths of the windows, in s.
const QUARTER: i64 = 15 * 60;
const DAY: i64 = 24 * 60 * 60;
/// Seconds after the end of a window in which no request is sent, since clocks differ.
const MARGIN: u64 = 5;
/// Part of the requests of a day that histories may use up: the last days of all users need the others.
const HISTORY_PART: u32 = 2;

/// Headers of the limits and of the requests so far.
const HEADERS: [[&str; 2]; 2] = [
    ["x-ratelimit-limit", "x-ratelimit-usage"],
    ["x-readratelimit-limit", "x-readratelimit-usage"],
];

/// Requests of the application so far, in both windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Usage {
    quarter: Window,
    day: Window,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Window {
    used: u32,
    limit: u32,
}

impl Window {
    fn left(self) -> u32 {
        self.limit.saturating_sub(self.used)
    }
}

impl Usage {
    /// Reads the headers of a response: in each window, those of the limit that is nearer. None if there are none.
    pub(super) fn read(headers: &HeaderMap) -> Option<Self> {
        let pairs = HEADERS.iter().filter_map(|[limit, usage]| {
            let (limits, used) = (two_numbers(headers, limit)?, two_numbers(headers, usage)?);
            let window = |index: usize| Window {
                used: used[index],
                limit: limits[index],
            };
            Some(Self {
                quarter: window(0),
                day: window(1),
            })
        });
        let nearer = |one: Window, other: Window| if other.left() < one.left() { other } else { one };
        pairs.reduce(|one, other| Self {
            quarter: nearer(one.quarter, other.quarter),
            day: nearer(one.day, other.day),
        })
    }

    /// Checks that the limits leave some further requests. `is_history` is whether they are for days of the past.
    ///
    /// # Errors
    ///
    /// [`Refusal::Limited`] until the next window; for a history that would use up more than its part of a day,
    /// [`Refusal::Later`], so that the last days are still read.
    pub(super) fn check(self, requests: u32, is_history: bool, now: DateTime<Utc>) -> Result<(), Refusal> {
        if requests == 0 {
            return Ok(());
        }
        let of_day = match is_history {
            true => self.day.limit / HISTORY_PART,
            false => self.day.limit,
        };
        if requests > of_day {
            return Err(Refusal::Failed(format!(
                "the workouts of a few days need {requests} requests, and a day has {of_day}"
            )));
        }
        if requests > self.day.left() {
            return Err(Refusal::Limited(until_next(DAY, now)));
        }
        if is_history && self.day.used.saturating_add(requests) > of_day {
            return Err(Refusal::Later(Some(until_next(DAY, now))));
        }
        // Many requests are sent at the pace of the limits, in some quarters of an hour.
        if requests.min(self.quarter.limit / 2) > self.quarter.left() {
            return Err(Refusal::Limited(until_next(QUARTER, now)));
        }
        Ok(())
    }
}

/// Returns the pause after a response with status 429: until the next day, if its requests are used up, and else until the
/// next quarter of an hour.
pub(super) fn pause(headers: &HeaderMap, now: DateTime<Utc>) -> Duration {
    let is_day_over = Usage::read(headers).is_some_and(|usage| usage.day.left() == 0);
    until_next(if is_day_over { DAY } else { QUARTER }, now)
}

/// Returns the time until the next window of a length in s. Windows of a day begin at midnight in UTC.
fn until_next(window: i64, now: DateTime<Utc>) -> Duration {
    let rest = window - now.timestamp().rem_euclid(window);
    Duration::from_secs(rest.unsigned_abs() + MARGIN)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use chrono::{DateTime, Utc};
    use http::{HeaderMap, HeaderValue};
    use wearlab_connect::Refusal;

    use super::{Usage, pause};

    fn headers(all: &str, reads: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let values = [
            ("x-ratelimit-limit", "200,2000"),
            ("x-ratelimit-usage", all),
            ("x-readratelimit-limit", "100, 1000"),
            ("x-readratelimit-usage", reads),
        ];
        for (name, value) in values {
            headers.insert(name, HeaderValue::from_str(value).expect("a header"));
        }
        headers
    }

    fn at(time: &str) -> DateTime<Utc> {
        format!("2026-03-04T{time}Z").parse().expect("a time")
    }

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_pause_ends_with_the_window_that_is_used_up() {
        for (reads, time, expected) in [
            ("100,400", "10:00:00", 900 + 5),
            ("101,400", "10:14:59", 1 + 5),
            ("100,999", "10:44:00", 60 + 5),
            ("12,1000", "10:14:59", 13 * 3600 + 45 * 60 + 1 + 5),
            ("180,1205", "23:59:59", 1 + 5),
        ] {
            assert_eq!(
                pause(&headers("120,500", reads), at(time)),
                seconds(expected),
                "{reads} {time}"
            );
        }
        let all_of_the_day = headers("3,2000", "3,900");
        assert_eq!(pause(&all_of_the_day, at("22:00:00")), seconds(7_200 + 5));
        assert_eq!(
            pause(&HeaderMap::new(), at("10:07:30")),
            seconds(450 + 5),
            "without headers"
        );
        assert_eq!(pause(&headers("many", "few"), at("10:07:30")), seconds(450 + 5));
    }

    #[test]
    fn requests_wait_for_the_window_that_has_them() {
        let check = |reads: &str, requests: u32, is_history: bool| {
            let usage = Usage::read(&headers("0,0", reads)).expect("the usage");
            usage.check(requests, is_history, at("10:10:00"))
        };
        let quarter = Err(Refusal::Limited(seconds(300 + 5)));
        let day = seconds(13 * 3600 + 50 * 60 + 5);
        assert_eq!(check("90,100", 10, false), Ok(()));
        assert_eq!(check("91,100", 10, false), quarter);
        assert_eq!(check("0,990", 10, false), Ok(()));
        assert_eq!(check("0,991", 10, false), Err(Refusal::Limited(day)));
        assert_eq!(check("0,490", 10, true), Ok(()));
        assert_eq!(check("0,491", 10, true), Err(Refusal::Later(Some(day))));
        assert_eq!(check("91,100", 10, true), quarter);
        assert_eq!(check("100,1000", 0, true), Ok(()), "none is needed");
        assert_eq!(check("2,100", 101, false), Ok(()), "in several quarters");
        assert_eq!(check("51,100", 101, false), quarter);
        assert!(matches!(check("0,0", 1_001, false), Err(Refusal::Failed(_))));
        assert!(matches!(check("0,0", 501, true), Err(Refusal::Failed(_))));
    }

    #[test]
    fn the_nearer_limit_counts() {
        let usage = Usage::read(&headers("195,1100", "20,300")).expect("the usage");
        assert_eq!((usage.quarter.left(), usage.day.left()), (5, 700));
        assert_eq!(Usage::read(&HeaderMap::new()), None);
    }
}
