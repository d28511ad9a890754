//! Limits of the application, by the headers of responses.
//!
//! Requests count in two windows, of 15 minutes and of 24 hours, which begin with their first request. Those beyond a limit are
//! refused without `Retry-After`, and count, too. `RateLimit-Limit` and `RateLimit-Usage` have a number for each window, and
//! `RateLimit-Reset` the seconds until it begins anew.

use std::time::Duration;

use http::HeaderMap;
use wearlab_connect::Refusal;
use wearlab_kit_client::Error;

use crate::headers::two_numbers;

/// Pause after a refusal that does not tell its end.
const QUARTER: Duration = Duration::from_secs(15 * 60);

/// Returns the reason of an error.
pub(super) fn refusal(error: Error) -> Refusal {
    match &error {
        Error::RateLimited(failure) => Refusal::Limited(pause(failure.headers()).unwrap_or(QUARTER)),
        _ => error.into(),
    }
}

/// Returns the pause after a response with status 429: until the windows that are used up begin anew.
fn pause(headers: &HeaderMap) -> Option<Duration> {
    let reset = two_numbers(headers, "ratelimit-reset")?;
    let windows = two_numbers(headers, "ratelimit-limit").zip(two_numbers(headers, "ratelimit-usage"));
    let is_used_up = |index: usize| windows.is_some_and(|(limits, usage)| usage[index] >= limits[index]);
    let seconds = if is_used_up(1) {
        reset[0].max(reset[1])
    } else {
        reset[0]
    };
    Some(Duration::from_secs(seconds.max(1).into()))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use http::{HeaderMap, HeaderValue};

    use super::pause;

    fn headers(usage: &str, reset: &str) -> HeaderMap {
        let values = [
            ("ratelimit-limit", "520, 5100"),
            ("ratelimit-usage", usage),
            ("ratelimit-reset", reset),
        ];
        let headers = values.map(|(name, value)| {
            let value = HeaderValue::from_str(value).expect("a header");
            (http::HeaderName::from_static(name), value)
        });
        headers.into_iter().collect()
    }

    #[test]
    fn a_pause_ends_with_the_window_that_is_used_up() {
        let seconds = |usage, reset| pause(&headers(usage, reset)).map(|pause| pause.as_secs());
        assert_eq!(seconds("520, 1200", "340, 40000"), Some(340));
        assert_eq!(seconds("12,5100", "340,40000"), Some(40_000));
        assert_eq!(seconds("600,5200", "340,20"), Some(340));
        assert_eq!(seconds("many", "340,40000"), Some(340));
        assert_eq!(seconds("520,1200", "0,40000"), Some(1));
        assert_eq!(seconds("520,1200", "soon"), None);
        assert_eq!(pause(&HeaderMap::new()), None::<Duration>);
    }
}
