//! Documentation without Markdown, for text outside doc comments.

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

/// The paragraphs of a text, without Markdown.
pub(crate) fn paragraphs(text: &str) -> Vec<String> {
    text.split("\n\n").map(plain).filter(|text| !text.is_empty()).collect()
}

/// A text without Markdown, on one line.
pub(crate) fn plain(text: &str) -> String {
    let (mut out, mut link) = (String::new(), None);
    for event in Parser::new(text) {
        match event {
            Event::Text(text) | Event::Code(text) | Event::InlineHtml(text) | Event::Html(text) => out.push_str(&text),
            Event::Start(Tag::Link { dest_url, .. }) => link = Some(dest_url),
            Event::End(TagEnd::Link) => {
                let url = link.take().filter(|url| !out.ends_with(&**url));
                out.extend(url.map(|url| format!(" ({url})")));
            }
            Event::End(TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::Item | TagEnd::CodeBlock)
            | Event::SoftBreak
            | Event::HardBreak => out.push(' '),
            _ => {}
        }
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn plain_text_has_no_marks() {
        for (text, plain_text) in [
            ("Use `a_b`, **not** d_e_f or _c_.", "Use a_b, not d_e_f or c."),
            (
                "See [the guide](https://a.example/b).",
                "See the guide (https://a.example/b).",
            ),
            ("See <https://a.example/b>.", "See https://a.example/b."),
            (
                "Of\ntwo lines.\n\n- And a list of `Vec<T>`",
                "Of two lines. And a list of Vec<T>",
            ),
            ("A <tag> \\[so\\] & 2 < 3", "A <tag> [so] & 2 < 3"),
        ] {
            assert_eq!(plain(text), plain_text, "{text:?}");
        }
    }
}
