//! Wraps long lines of doc comments where it does not change the Markdown.

/// The longest line of a doc comment; with indentation, it stays within the formatter's limit.
const WIDTH: usize = 110;

/// The lines of a text. Those of plain paragraphs are wrapped at spaces; lists, tables, headings and code are
/// unchanged.
pub(crate) fn wrap(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut fence, mut plain) = (None, true);
    for line in text.lines() {
        let mark = line.trim_start().get(..3).filter(|mark| ["```", "~~~"].contains(mark));
        match (fence, mark) {
            (None, Some(_)) => fence = mark,
            (Some(open), Some(close)) if open == close => fence = None,
            _ => {}
        }
        // The lines up to the next empty one may continue it.
        plain = line.is_empty() || plain && fence.is_none() && mark.is_none() && is_plain(line);
        if plain {
            lines.extend(broken(line));
        } else {
            lines.push(line.to_owned());
        }
    }
    lines
}

fn is_plain(line: &str) -> bool {
    let first = line.split(' ').next().unwrap_or_default();
    !line.starts_with(char::is_whitespace) && !is_mark(first)
}

/// Returns whether Markdown may read the beginning of a line as something other than text.
fn is_mark(word: &str) -> bool {
    let unnumbered = word.trim_start_matches(|c: char| c.is_ascii_digit());
    word.starts_with(['>', '|'])
        || word.starts_with("```")
        || word.starts_with("~~~")
        || word.chars().all(|c| "-*+=_#".contains(c))
        || unnumbered.len() < word.len() && [".", ")"].contains(&unnumbered)
}

fn broken(line: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut length = 0;
    for word in line.split(' ') {
        let (more, last) = (word.chars().count() + 1, lines.len() - 1);
        // A backslash or spaces at the end of a line would be a hard line break.
        let breaks = length + more > WIDTH && !lines[last].ends_with(['\\', ' ']);
        if breaks && length > 0 && !is_mark(word) {
            lines.push(word.to_owned());
            length = more;
        } else {
            if length > 0 {
                lines[last].push(' ');
            }
            lines[last].push_str(word);
            length += more;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{WIDTH, wrap};

    #[test]
    fn only_plain_paragraphs_are_broken() {
        let long = "word ".repeat(40).trim_end().to_owned();
        assert!(wrap(&long).iter().all(|line| line.chars().count() <= WIDTH));
        assert_eq!(wrap(&long).join(" "), long);
        for text in [
            format!("- {long}\ngoes on {long}"),
            format!("| {long} |"),
            format!("# {long}"),
            format!("```text\n{long}\n\n{long}\n```"),
            format!("    {long}"),
        ] {
            assert_eq!(wrap(&text).join("\n"), text);
        }
        assert_eq!(
            wrap(&format!("- one\n\n{long}")).len(),
            4,
            "a list ends at an empty line"
        );
    }

    #[test]
    fn no_word_becomes_a_mark() {
        for word in ["-", "1.", "12)", "+", "##", ">", "```", "==="] {
            let text = format!("{} {word} goes on {}", "x".repeat(WIDTH - 2), "y".repeat(9));
            assert!(wrap(&text)[0].ends_with(&format!(" {word}")), "{word}");
            assert_eq!(wrap(&text).join(" "), text);
        }
        for word in ["`code`", "401,", "*much*", "2024-01-01", "-5"] {
            let text = format!("{} {word} goes on", "x".repeat(WIDTH - 2));
            assert_eq!(wrap(&text).len(), 2, "{word}");
        }
    }
}
