//! Converts descriptions of the document from Markdown to HTML.

use maud::{Markup, PreEscaped};
use pulldown_cmark::{Event, Parser, html};

/// Converts a description to paragraphs and lists. HTML in it is shown as text.
pub(super) fn prose(markdown: &str) -> Markup {
    let events = Parser::new(markdown).map(|event| match event {
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        other => other,
    });
    let mut out = String::new();
    html::push_html(&mut out, events);
    PreEscaped(out)
}

#[cfg(test)]
mod tests {
    use super::prose;

    #[test]
    fn markdown_is_html_and_html_is_text() {
        assert_eq!(
            prose("a `b` <i>c</i>").into_string(),
            "<p>a <code>b</code> &lt;i&gt;c&lt;/i&gt;</p>\n"
        );
        assert!(prose("<script>x</script>").into_string().starts_with("&lt;script&gt;"));
    }
}
