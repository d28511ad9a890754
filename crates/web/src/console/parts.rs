//! Elements of several pages: tables, times, states, and links to the next page of a list.

use chrono::{DateTime, SecondsFormat, Utc};
use maud::{Markup, html};

use super::query::url;

/// Renders a table of rows, or a sentence if there are none.
pub(super) fn table(caption: &str, columns: &[&str], empty: &str, rows: &[Vec<Markup>]) -> Markup {
    html! {
        @if rows.is_empty() {
            p.empty { (empty) }
        } @else {
            section.scroll tabindex="0" aria-label=(caption) {
                table {
                    caption { (caption) }
                    thead { tr { @for column in columns { th scope="col" { (column) } } } }
                    tbody {
                        @for row in rows {
                            tr {
                                @for (index, cell) in row.iter().enumerate() {
                                    @if index == 0 { th scope="row" { (cell) } } @else { td { (cell) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Renders a list of names and values.
pub(super) fn facts(facts: &[(&str, Markup)]) -> Markup {
    html! {
        dl.facts {
            @for (name, value) in facts {
                div { dt { (name) } dd { (value) } }
            }
        }
    }
}

/// Renders a time, shown to the second, with its full precision.
pub(super) fn time(time: impl Into<DateTime<Utc>>) -> Markup {
    let time = time.into();
    let exact = time.to_rfc3339_opts(SecondsFormat::AutoSi, true);
    html! { time datetime=(exact) title=(exact) { (time.format("%Y-%m-%d %H:%M:%S")) } }
}

/// Renders a time that may be absent.
pub(super) fn maybe_time(at: Option<impl Into<DateTime<Utc>>>) -> Markup {
    at.map_or_else(none, time)
}

/// Formats the time since something.
pub(super) fn age(since: impl Into<DateTime<Utc>>, now: DateTime<Utc>) -> String {
    let seconds = (now - since.into()).num_seconds().max(0);
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

/// Formats a number with thousands separators.
pub(super) fn count(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    if number < 0 { format!("\u{2212}{text}") } else { text }
}

/// Formats a number that is counted up to 10,000, as those of destinations are.
pub(super) fn counted(number: i64) -> String {
    match number {
        10_000.. => format!("{} or more", count(10_000)),
        number => count(number),
    }
}

/// Renders a state in a word, with a colour of the same meaning.
pub(super) fn state(text: &str, tone: Tone) -> Markup {
    html! { span class={ "state " (tone.class()) } { (text) } }
}

/// Tone of a state, which selects its colour.
#[derive(Clone, Copy)]
pub(super) enum Tone {
    Good,
    Bad,
    Waiting,
    Plain,
}

impl Tone {
    fn class(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Bad => "bad",
            Self::Waiting => "waiting",
            Self::Plain => "plain",
        }
    }
}

/// Renders an identifier of programs: an id, a type, a URL.
pub(super) fn code(text: impl AsRef<str>) -> Markup {
    html! { code { (text.as_ref()) } }
}

/// Renders a text that may be absent.
pub(super) fn maybe(text: Option<impl AsRef<str>>) -> Markup {
    text.map_or_else(none, |text| html! { (text.as_ref()) })
}

/// Renders a dash for an absent value.
pub(super) fn none() -> Markup {
    html! { span.none { "\u{2013}" } }
}

/// Renders a link.
pub(super) fn link(to: &str, text: impl AsRef<str>) -> Markup {
    html! { a href=(to) { (text.as_ref()) } }
}

/// Renders a link with an id as its text.
pub(super) fn id_link(to: &str, id: &str) -> Markup {
    html! { a href=(to) { (code(id)) } }
}

/// Renders the link to the next page of a list, if there is one.
pub(super) fn next(path: &str, parameters: &[(&str, Option<&str>)], cursor: (&str, Option<&str>)) -> Markup {
    let (_, Some(_)) = cursor else { return html! {} };
    let parameters: Vec<_> = parameters.iter().copied().chain([cursor]).collect();
    html! { p.next { a href=(url(path, &parameters)) rel="next" { "Next page" } } }
}

/// Links to the pages of a team.
pub(super) fn team_pages(team_id: &str, current: &str) -> Markup {
    let pages = [
        ("", "Users"),
        ("/pulls", "Historical pulls"),
        ("/orders", "Lab orders"),
        ("/pipeline", "Pipeline"),
        ("/webhooks", "Webhooks"),
    ];
    html! {
        nav.tabs aria-label="Team" {
            @for (path, text) in pages {
                a href={ "/console/teams/" (team_id) (path) } aria-current=[(path == current).then_some("page")] { (text) }
            }
        }
    }
}

/// Renders a secret, which this response alone shows.
pub(super) fn secret(name: &str, value: &str) -> Markup {
    html! {
        section.secret aria-labelledby="secret" {
            h2 #secret { (name) }
            p { "Copy it now: no other page shows it." }
            pre tabindex="0" { (value) }
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, TimeDelta};

    use super::{age, count};

    #[test]
    fn numbers_have_their_thousands_apart() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1\u{202f}000"),
            (-12_345_678, "\u{2212}12\u{202f}345\u{202f}678"),
        ] {
            assert_eq!(count(number), text);
        }
    }

    #[test]
    fn an_age_has_one_unit() {
        let now = DateTime::UNIX_EPOCH + TimeDelta::days(30);
        for (seconds, text) in [
            (-5, "0 s"),
            (59, "59 s"),
            (60, "1 min"),
            (7_300, "2 h"),
            (200_000, "2 days"),
        ] {
            assert_eq!(age(now - TimeDelta::seconds(seconds), now), text);
        }
    }
}
