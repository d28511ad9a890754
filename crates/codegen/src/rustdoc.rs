//! Documentation for rustdoc: nothing is read as a test, a broken link or an HTML tag.

mod html;
mod spans;

use spans::code;

/// Makes a text safe for a doc comment. Fenced blocks become plain text, indented code is dedented, HTML is Markdown, unpaired
/// backticks and bare `[x]` and `<x>` are escaped; links and URLs stay links, relative ones are their text.
pub(crate) fn rustdoc(text: &str) -> String {
    let mut blocks = Vec::new();
    let mut prose: Vec<&str> = Vec::new();
    let mut lines = text.trim().lines();
    while let Some(line) = lines.next() {
        match fence(line) {
            Some(mark) => {
                blocks.push(self::prose(&prose));
                prose.clear();
                let inner: Vec<_> = lines.by_ref().take_while(|line| !closes(line, mark)).collect();
                blocks.push(format!("{mark}text\n{}\n{mark}", inner.join("\n")));
            }
            None => prose.push(line),
        }
    }
    blocks.push(self::prose(&prose));
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n")
}

/// A text as a code span, whatever backticks it contains.
pub(crate) fn code_span(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let marks = "`".repeat(longest + 1);
    let space = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{marks}{space}{text}{space}{marks}")
}

/// The marks that open a fenced block.
fn fence(line: &str) -> Option<&str> {
    let line = line.trim_start();
    ['`', '~'].into_iter().find_map(|mark| {
        let rest = line.trim_start_matches(mark);
        let marks = &line[..line.len() - rest.len()];
        (marks.len() >= 3 && !(mark == '`' && rest.contains('`'))).then_some(marks)
    })
}

fn closes(line: &str, mark: &str) -> bool {
    let line = line.trim();
    line.starts_with(mark) && line.trim_start_matches(&mark[..1]).is_empty()
}

/// Paragraphs, each escaped separately: code spans do not cross them.
fn prose(lines: &[&str]) -> String {
    let text = html::markdown(&lines.join("\n"));
    let (mut paragraphs, mut open, mut content) = (vec![String::new()], false, 0);
    for line in text.lines() {
        let line = line.trim_end();
        let code = line.starts_with("    ") || line.trim_start_matches(' ').starts_with('\t');
        // An indented line continues a paragraph; elsewhere it would be code, and a test.
        let line = if code && !open { line.trim_start() } else { line };
        let line = match content_of_item(line) {
            Some(column) => {
                content = column;
                item(line)
            }
            // A continuation of a list item is indented to its text, one of a paragraph is not indented.
            None if open && code => format!("{:content$}{}", "", line.trim_start()),
            None => line.to_owned(),
        };
        open = !line.is_empty() && !line.starts_with('#');
        let last = paragraphs.len() - 1;
        if line.is_empty() {
            content = 0;
            paragraphs.push(String::new());
        } else {
            if !paragraphs[last].is_empty() {
                paragraphs[last].push('\n');
            }
            paragraphs[last].push_str(&line);
        }
    }
    let written: Vec<_> = paragraphs
        .iter()
        .filter(|text| !text.is_empty())
        .map(|text| inline(text))
        .collect();
    written.join("\n\n")
}

/// The column of the text of a list item, if the line begins one.
fn content_of_item(line: &str) -> Option<usize> {
    let body = line.trim_start();
    let mark = body.split(' ').next().unwrap_or_default();
    let number = mark.trim_end_matches(['.', ')']);
    let numbered = number.len() + 1 == mark.len() && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    (numbered || matches!(mark, "-" | "*" | "+")).then(|| line.len() - body.len() + mark.len() + 1)
}

/// A line of a list, without the indentation that would make it code.
fn item(line: &str) -> String {
    let body = line.trim_start();
    match body.split_once(' ') {
        Some((mark @ ("-" | "*" | "+"), rest)) if rest.starts_with("    ") => {
            format!("{}{mark} {}", &line[..line.len() - body.len()], rest.trim_start())
        }
        _ => line.to_owned(),
    }
}

fn inline(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let taken = match next {
            '\\' if rest[1..].starts_with(|c: char| c.is_ascii_punctuation()) => 2,
            '`' => code(rest),
            '[' => match relative_link(rest) {
                Some((text, length)) => {
                    out.push_str(&inline(text));
                    rest = &rest[length..];
                    continue;
                }
                None => link(rest),
            },
            '<' => rest
                .find('>')
                .filter(|end| is_address(&rest[1..*end]))
                .map_or(0, |end| end + 1),
            'h' if is_address(word(rest)) => {
                let url = word(rest);
                out.push_str(&format!("<{url}>"));
                rest = &rest[url.len()..];
                continue;
            }
            _ => 0,
        };
        if taken > 0 {
            out.push_str(&rest[..taken]);
            rest = &rest[taken..];
            continue;
        }
        if matches!(next, '`' | '[' | ']' | '<' | '>') {
            out.push('\\');
        }
        out.push(next);
        rest = &rest[next.len_utf8()..];
        // All backticks of an unpaired run.
        while next == '`' && rest.starts_with('`') {
            out.push_str("\\`");
            rest = &rest[1..];
        }
    }
    out
}

/// The length of the link that a text begins with, or 0. A link without a URL would be read as a Rust path.
fn link(text: &str) -> usize {
    let Some(middle) = text.find("](").filter(|middle| !text[1..*middle].contains(['[', ']'])) else {
        return 0;
    };
    let end = text[middle..].find(')').map(|end| middle + end);
    end.filter(|end| is_address(&text[middle + 2..*end]))
        .map_or(0, |end| end + 1)
}

/// The text and the length of the link that a text begins with, whose target is relative to the website of the document.
fn relative_link(text: &str) -> Option<(&str, usize)> {
    let middle = text.find("](")?;
    let label = &text[1..middle];
    let (target, _) = text[middle + 2..].split_once(')')?;
    let is_relative = ["/", "#", "./", "../"].iter().any(|begin| target.starts_with(begin));
    let fits = is_relative && !label.contains(['[', ']']) && !target.contains(char::is_whitespace);
    fits.then_some((label, middle + 2 + target.len() + 1))
}

fn is_address(text: &str) -> bool {
    let known = ["https://", "http://", "mailto:"];
    known
        .iter()
        .any(|scheme| text.strip_prefix(scheme).is_some_and(|rest| !rest.is_empty()))
        && !text.contains(|c: char| c.is_whitespace() || "<>[]`".contains(c))
}

/// The word that a text begins with, without final punctuation.
fn word(text: &str) -> &str {
    let end = text
        .find(|c: char| c.is_whitespace() || "<>[]`\"(){}|\\".contains(c))
        .unwrap_or(text.len());
    text[..end].trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', '_'])
}

#[cfg(test)]
mod tests {
    use super::{code_span, rustdoc};

    #[test]
    fn a_name_with_backticks_is_code_still() {
        for (text, code) in [
            ("a", "`a`"),
            ("a`b", "``a`b``"),
            ("`a", "`` `a ``"),
            ("a``b`", "``` a``b` ```"),
        ] {
            assert_eq!(code_span(text), code);
            assert_eq!(rustdoc(code), code, "it is left as it is");
        }
    }

    #[test]
    fn nothing_is_a_test_a_broken_link_or_a_tag() {
        for (text, safe) in [
            ("A `b` c.", "A `b` c."),
            ("An odd ` tick, and ``two", "An odd \\` tick, and \\`\\`two"),
            ("`a[0]` and a[0] of Vec<T>", "`a[0]` and a\\[0\\] of Vec\\<T\\>"),
            ("A `span\n\nthat ends` here", "A \\`span\n\nthat ends\\` here"),
            (
                "[docs](https://a.example/b) <https://a.example>",
                "[docs](https://a.example/b) <https://a.example>",
            ),
            ("[docs](Thing::new)", "\\[docs\\](Thing::new)"),
            ("the [docs of `a`](/docs#a)", "the docs of `a`"),
            (
                "<p>See <a href=\"https://a.example\">a[0]</a>.</p>",
                "See a\\[0\\] (<https://a.example>).",
            ),
            ("See https://a.example/b.", "See <https://a.example/b>."),
            ("Already \\[so\\]", "Already \\[so\\]"),
            ("One:\n\n    let x = 1;\n\nTwo", "One:\n\nlet x = 1;\n\nTwo"),
            ("- one\n    goes on", "- one\n  goes on"),
            (
                "1. one\n     goes on\n\ntwo\n    goes on",
                "1. one\n   goes on\n\ntwo\ngoes on",
            ),
            ("- one\n    - two", "- one\n    - two"),
            ("```\nlet x = [1];\n```", "```text\nlet x = [1];\n```"),
            ("Before\n```rust\nx\n```\nafter", "Before\n```text\nx\n```\nafter"),
            ("~~~\nnever closed", "~~~text\nnever closed\n~~~"),
            ("größe ü` é", "größe ü\\` é"),
        ] {
            assert_eq!(rustdoc(text), safe, "{text:?}");
        }
    }
}
