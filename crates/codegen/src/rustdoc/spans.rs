//! Code spans of Markdown.

/// The length of the code span that a text begins with, or 0.
pub(super) fn code(text: &str) -> usize {
    let run = text.len() - text.trim_start_matches('`').len();
    let mut at = run;
    while let Some(found) = text[at..].find('`') {
        let begin = at + found;
        let length = text[begin..].len() - text[begin..].trim_start_matches('`').len();
        if length == run {
            return begin + length;
        }
        at = begin + length;
    }
    0
}
