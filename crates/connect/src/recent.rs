//! Days that are read again each time: data come late, and are corrected.

use chrono::{DateTime, Days, NaiveDate, TimeDelta, Utc};

use crate::provider::Collection;
use crate::span::Span;
use crate::task::Recent;

/// Refusals after which days that notices requested are left out.
const MAX_REFUSALS: u32 = 5;
/// Maximum number of documents whose days are looked up together.
const MAX_DOCUMENTS: usize = 100;

/// Returns the next days to read: first those that notices requested. The others begin before the last day that was read, or
/// before today, and end tomorrow, since a user may be ahead of UTC; after a long pause, they end earlier.
pub(crate) fn span(collection: &Collection, state: &Recent, now: DateTime<Utc>) -> Span {
    let (first, length, last) = match state.requested {
        Some((first, last)) => (first, collection.window_days, last),
        None => (
            first_usual(collection, state, now),
            collection.window_days.max(collection.look_back_days + 2),
            tomorrow(now),
        ),
    };
    let longest = first + days(length.max(1) - 1);
    Span {
        first,
        last: longest.min(last),
    }
}

/// Returns the state after a span, and the time of the next pull: now if there are more days to read, and else after the pace
/// of the collection, more or less by up to a tenth by `random` (0 to 1), so that connections that were linked together are
/// not pulled together.
pub(crate) fn next(
    collection: &Collection,
    state: &Recent,
    span: Span,
    now: DateTime<Utc>,
    random: f64,
) -> (Recent, DateTime<Utc>) {
    if let Some((_, rest)) = without_requested(collection, state, now) {
        return (rest, now);
    }
    let state = Recent {
        read_until: Some(span.last.min(now.date_naive())),
        ..Recent::default()
    };
    if span.last < tomorrow(now) {
        return (state, now);
    }
    let pace = f64::from(collection.pace_seconds) * (0.9 + random.clamp(0.0, 1.0) / 5.0);
    (state, now + TimeDelta::seconds(pace as i64))
}

/// Returns the state after a refusal of days that notices requested, and these days if it is without them now: the last days
/// wait for them, and the provider has refused them several times. None if no days were requested.
pub(crate) fn refused(collection: &Collection, state: &Recent, now: DateTime<Utc>) -> Option<(Recent, Option<Span>)> {
    let (span, rest) = without_requested(collection, state, now)?;
    let refusals = state.refusals.saturating_add(1);
    Some(match refusals < MAX_REFUSALS {
        true => (
            Recent {
                refusals,
                ..state.clone()
            },
            None,
        ),
        false => (rest, Some(span)),
    })
}

/// Returns the days that notices requested and that are read next, and the state without them. None if there are none.
fn without_requested(collection: &Collection, state: &Recent, now: DateTime<Utc>) -> Option<(Span, Recent)> {
    let (_, last) = state.requested?;
    let span = span(collection, state, now);
    let requested = (span.last < last).then(|| (span.last + days(1), last));
    let rest = Recent {
        requested,
        refusals: 0,
        ..state.clone()
    };
    Some((span, rest))
}

/// Returns the state with the days of a notice, of the last `history_days`. None if they are read in any case: the last days
/// have them all, or they were requested and come after those that are read next. Of these, a pull in progress may have read
/// the values before.
pub(crate) fn widened(
    collection: &Collection,
    history_days: u32,
    state: &Recent,
    notice: Span,
    now: DateTime<Utc>,
) -> Option<Recent> {
    let oldest = now.date_naive() - days(history_days);
    let first = notice.first.max(oldest);
    let last = notice.last.min(first_usual(collection, state, now) - days(1));
    if first > last {
        return None;
    }
    if let Some((read_next, rest)) = without_requested(collection, state, now)
        && first > read_next.last
        && rest.requested.is_some_and(|(_, known)| last <= known)
    {
        return None;
    }
    let known = state.requested.unwrap_or((first, last));
    let requested = Some((first.min(known.0), last.max(known.1)));
    Some(Recent {
        requested,
        ..state.clone()
    })
}

/// Adds the document of a notice, whose day is to be looked up. Returns false if there are too many.
pub(crate) fn add_document(state: &mut Recent, provider_id: &str) -> bool {
    let is_known = state.documents.iter().any(|known| known == provider_id);
    if !is_known && state.documents.len() < MAX_DOCUMENTS {
        state.documents.push(provider_id.to_owned());
        return true;
    }
    is_known
}

/// Returns the state after the days of its documents were looked up.
pub(crate) fn located(
    collection: &Collection,
    history_days: u32,
    state: &Recent,
    days: impl IntoIterator<Item = NaiveDate>,
    now: DateTime<Utc>,
) -> Recent {
    let without_documents = Recent {
        documents: Vec::new(),
        ..state.clone()
    };
    days.into_iter().fold(without_documents, |state, day| {
        let span = Span { first: day, last: day };
        widened(collection, history_days, &state, span, now).unwrap_or(state)
    })
}

/// Returns the first of the days that are read again each time.
fn first_usual(collection: &Collection, state: &Recent, now: DateTime<Utc>) -> NaiveDate {
    let today = now.date_naive();
    state.read_until.unwrap_or(today).min(today) - days(collection.look_back_days)
}

fn days(days: u32) -> Days {
    Days::new(u64::from(days))
}

fn tomorrow(now: DateTime<Utc>) -> NaiveDate {
    now.date_naive() + Days::new(1)
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};

    use super::{MAX_DOCUMENTS, add_document, located, next, span, widened};
    use crate::provider::Collection;
    use crate::span::Span;
    use crate::task::Recent;

    static ACTIVITY: Collection = Collection {
        name: "activity",
        resources: &[],
        scopes: &[],
        window_days: 30,
        look_back_days: 7,
        pace_seconds: 3600,
        has_history: true,
    };

    #[test]
    fn days_of_a_long_pause_are_read() {
        let now: DateTime<Utc> = "2026-03-31T12:00:00Z".parse().expect("a time");
        let day = |text: &str| text.parse().expect("a day");
        let mut state = Recent::default();
        let usual = span(&ACTIVITY, &state, now);
        assert_eq!((usual.first, usual.last), (day("2026-03-24"), day("2026-04-01")));

        state.read_until = Some(day("2026-02-01"));
        let (mut days, mut spans) = (day("2026-01-25"), 0);
        loop {
            let span = span(&ACTIVITY, &state, now);
            assert!(span.first <= days, "{span:?}: days are left out");
            let (after, due) = next(&ACTIVITY, &state, span, now, 0.5);
            (state, days, spans) = (after, span.last, spans + 1);
            if due > now {
                break;
            }
        }
        assert_eq!((days, spans), (day("2026-04-01"), 3));
        assert_eq!(state.read_until, Some(day("2026-03-31")));
    }

    #[test]
    fn days_of_notices_are_read_before_the_last_ones() {
        let now: DateTime<Utc> = "2026-03-31T12:00:00Z".parse().expect("a time");
        let day = |text: &str| text.parse().expect("a day");
        let widen = |state: &Recent, first: &str, last: &str| {
            let notice = Span {
                first: day(first),
                last: day(last),
            };
            widened(&ACTIVITY, 365, state, notice, now)
        };
        let known = Recent {
            read_until: Some(day("2026-03-31")),
            ..Recent::default()
        };
        assert_eq!(
            widen(&known, "2026-03-24", "2026-03-30"),
            None,
            "they are read in any case"
        );
        assert_eq!(
            widen(&known, "2020-01-01", "2020-01-02"),
            None,
            "older than the history"
        );
        let wide = widen(&known, "2026-01-10", "2026-01-10").expect("a request");
        let wide = widen(&wide, "2026-02-20", "2026-03-26").expect("a request");
        assert_eq!(wide.requested, Some((day("2026-01-10"), day("2026-03-23"))));

        assert_eq!(widen(&wide, "2026-02-09", "2026-03-30"), None, "they were requested");
        assert_eq!(
            widen(&wide, "2026-02-08", "2026-02-10"),
            Some(wide.clone()),
            "the first are read next"
        );
        let wider = widen(&wide, "2026-01-09", "2026-03-23").expect("a request");
        assert_eq!(wider.requested, Some((day("2026-01-09"), day("2026-03-23"))));

        let (mut state, mut read) = (wide, Vec::new());
        while state.requested.is_some() {
            let span = span(&ACTIVITY, &state, now);
            read.push((span.first, span.last));
            let due;
            (state, due) = next(&ACTIVITY, &state, span, now, 0.5);
            assert_eq!(due, now);
        }
        assert_eq!(
            read,
            [
                (day("2026-01-10"), day("2026-02-08")),
                (day("2026-02-09"), day("2026-03-10")),
                (day("2026-03-11"), day("2026-03-23")),
            ]
        );
        assert_eq!(state, known);
        assert_eq!(span(&ACTIVITY, &state, now).first, day("2026-03-24"));
    }

    #[test]
    fn days_of_documents_are_those_of_notices() {
        let now: DateTime<Utc> = "2026-03-31T12:00:00Z".parse().expect("a time");
        let day = |text: &str| text.parse().expect("a day");
        let mut state = Recent::default();
        assert!(add_document(&mut state, "one") && add_document(&mut state, "two") && add_document(&mut state, "one"));
        assert_eq!(state.documents, ["one", "two"]);
        let locate = |days: &[&str]| located(&ACTIVITY, 365, &state, days.iter().map(|text| day(text)), now);
        assert_eq!(locate(&[]), Recent::default());
        assert_eq!(locate(&["2026-03-30", "2020-01-01"]), Recent::default());
        let found = locate(&["2026-03-01", "2026-03-30", "2026-02-20"]);
        assert_eq!(found.requested, Some((day("2026-02-20"), day("2026-03-01"))));
        assert_eq!(found.documents, Vec::<String>::new());

        let ids = (0..MAX_DOCUMENTS).map(|number| number.to_string());
        assert_eq!(ids.filter(|id| add_document(&mut state, id)).count(), MAX_DOCUMENTS - 2);
        assert!(add_document(&mut state, "two") && !add_document(&mut state, "another"));
    }

    #[test]
    fn states_of_earlier_versions_are_read() {
        let read = |text: &str| serde_json::from_str::<Recent>(text).expect("a state");
        assert_eq!(read("{}"), Recent::default());
        let state = read(r#"{"read_until":"2026-03-31"}"#);
        assert_eq!(state.requested, None);
        let written = serde_json::to_string(&state).expect("JSON");
        assert_eq!(written, r#"{"read_until":"2026-03-31"}"#);
    }
}
