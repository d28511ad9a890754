//! Regular expressions of ECMA-262, in the syntax of the crate `regex`, which servers use: it reads a text once,
//! whatever the expression is.

use serde_json::Value;

use crate::Code;
use crate::source::{Report, join};

/// Reads the `pattern` of a string.
pub(super) fn read(value: &Value, at: &str, report: &mut Report<'_>) -> Option<String> {
    let pattern = value["pattern"].as_str()?;
    match translate(pattern) {
        Ok(_) => Some(pattern.to_owned()),
        Err(reason) => {
            report.value_error(
                Code::Pattern,
                &join(at, "pattern"),
                format!("the pattern is unsupported: {reason}"),
                "write it without look-around and backreferences, or describe the rule in `description`",
            );
            None
        }
    }
}

/// The expression in the syntax of `regex`, or the reason for the failure.
pub(crate) fn translate(pattern: &str) -> Result<String, String> {
    let mut translated = String::new();
    let mut rest = pattern.chars().peekable();
    let mut class = false;
    while let Some(next) = rest.next() {
        match next {
            '\\' => translated.push_str(&escape(rest.next(), class)),
            '[' if class => translated.push_str("\\["),
            '[' => {
                class = true;
                translated.push('[');
                if rest.next_if_eq(&'^').is_some() {
                    translated.push('^');
                }
                if rest.peek() == Some(&']') {
                    return Err("an empty class".to_owned());
                }
            }
            ']' if class => {
                class = false;
                translated.push(']');
            }
            // Operators of sets, which ECMA-262 does not have.
            '&' | '~' if class => translated.extend(['\\', next]),
            '-' if class && rest.peek() == Some(&'-') => return Err("`--` in a class".to_owned()),
            '.' if !class => translated.push_str(r"[^\n\r\u{2028}\u{2029}]"),
            other => translated.push(other),
        }
    }
    let compiled = regex::Regex::new(&translated);
    compiled.map(|_| translated).map_err(|error| {
        let text = error.to_string();
        let reason = text.rsplit_once("error: ").map_or(text.as_str(), |(_, reason)| reason);
        reason.trim().replace('\n', " ")
    })
}

/// Returns whether a pattern is found in a text.
pub(super) fn is_match(pattern: &str, text: &str) -> bool {
    let regex = translate(pattern)
        .ok()
        .and_then(|pattern| regex::Regex::new(&pattern).ok());
    regex.is_some_and(|regex| regex.is_match(text))
}

/// An escape, without its backslash. Digits and words are those of ASCII.
fn escape(escaped: Option<char>, class: bool) -> String {
    let digits = "0-9";
    let words = "A-Za-z0-9_";
    match (escaped, class) {
        (Some('d'), true) => digits.to_owned(),
        (Some('d'), false) => format!("[{digits}]"),
        (Some('D'), _) => format!("[^{digits}]"),
        (Some('w'), true) => words.to_owned(),
        (Some('w'), false) => format!("[{words}]"),
        (Some('W'), _) => format!("[^{words}]"),
        (Some('b'), true) => r"\x08".to_owned(),
        (Some('b'), false) => r"(?-u:\b)".to_owned(),
        (Some('0'), _) => r"\x00".to_owned(),
        (Some('/'), _) => "/".to_owned(),
        (Some('A' | 'z' | 'a' | '<' | '>' | 'Q' | 'E'), _) => escaped.map(String::from).unwrap_or_default(),
        (Some(other), _) => format!("\\{other}"),
        // A backslash at the end is not an escape, which the compiler reports.
        (None, _) => "\\".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::translate;

    fn found(pattern: &str, text: &str) -> bool {
        let translated = translate(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"));
        regex::Regex::new(&translated).expect("a pattern").is_match(text)
    }

    #[test]
    fn patterns_mean_what_they_mean_in_ecma_262() {
        for (pattern, text, expected) in [
            (r"^\d+$", "12", true),
            (r"^\d+$", "१२", false),
            (r"^[\w-]+$", "a-b_1", true),
            (r"^\w+$", "é", false),
            (r"^[\D]$", "a", true),
            ("b", "abc", true),
            (r"^a\/b$", "a/b", true),
            ("^[[]$", "[", true),
            ("^[a&&b]+$", "a&b", true),
            ("^.$", "\u{2028}", false),
            ("^.$", "日", true),
            (r"^\u00e9$", "é", true),
            (r"^\p{L}+$", "Zoë", true),
            (r"^(?<year>\d{4})-\d{2}$", "2025-01", true),
        ] {
            assert_eq!(found(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn what_takes_more_than_one_pass_is_refused() {
        for pattern in [
            "^(?!a)",
            "(?<=a)b",
            r"(a)\1",
            "[",
            "a{2,1}",
            r"a\",
            "[]",
            "(a{1000}){1000}",
        ] {
            assert!(translate(pattern).is_err(), "{pattern}");
        }
    }
}
