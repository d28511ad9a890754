//! HTML in descriptions, as Markdown.

use super::spans::code;

/// Replaces the tags that descriptions have by Markdown. Other tags, such as `<id>`, stay, as does code.
pub(super) fn markdown(text: &str) -> String {
    if !text.contains('<') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut links: Vec<Option<(String, usize)>> = Vec::new();
    let mut pairs = Pairs::default();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let span = if next == '`' { code(rest) } else { 0 };
        if span > 0 {
            out.push_str(&rest[..span]);
            rest = &rest[span..];
            continue;
        }
        if next == '\\' && rest[1..].starts_with('<') {
            out.push_str("\\<");
            rest = &rest[2..];
            continue;
        }
        if let Some(after) = rest.strip_prefix("<!--")
            && let Some(end) = after.find("-->")
        {
            rest = &after[end + 3..];
            continue;
        }
        if let Some((tag, after)) = Tag::read(rest) {
            if tag.name == "code"
                && !tag.closes
                && let Some(after) = code_of(after, &mut out)
            {
                rest = after;
                continue;
            }
            if pairs.has(&tag, after) && write(&tag, &mut out, &mut links) {
                rest = after;
                continue;
            }
        }
        // Of tags at the end of lines.
        if next != '\n' || !out.ends_with("\n\n") {
            out.push(next);
        }
        rest = &rest[next.len_utf8()..];
    }
    out
}

/// A tag of HTML.
struct Tag<'t> {
    name: String,
    attributes: &'t str,
    closes: bool,
}

impl<'t> Tag<'t> {
    /// The tag that a text begins with, and the rest of the text.
    fn read(text: &'t str) -> Option<(Self, &'t str)> {
        let inner = text.strip_prefix('<')?;
        let end = inner.find('>')?;
        let (inner, after) = (&inner[..end], &inner[end + 1..]);
        let (closes, inner) = match inner.strip_prefix('/') {
            Some(inner) => (true, inner),
            None => (false, inner),
        };
        let length = inner.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(inner.len());
        let (name, attributes) = inner.split_at(length);
        let is_tag = attributes.is_empty() || attributes.starts_with(char::is_whitespace) || attributes == "/";
        (is_tag && !name.is_empty()).then(|| {
            let name = name.to_ascii_lowercase();
            let tag = Self {
                name,
                attributes,
                closes,
            };
            (tag, after)
        })
    }

    /// The URL of a link.
    fn target(&self) -> Option<String> {
        let (_, value) = self.attributes.split_once("href=")?;
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
        let target = match quote {
            Some(quote) => value[1..].split(quote).next()?,
            None => value.split_whitespace().next()?,
        };
        let is_plain = !target.contains(|c: char| c.is_whitespace() || "<>()[]`".contains(c));
        let is_address = target.starts_with("https://") || target.starts_with("http://");
        (is_plain && is_address).then(|| target.replace("&amp;", "&"))
    }
}

/// Open tags of spans. One that is never closed is a placeholder, such as `<b>`.
#[derive(Default)]
struct Pairs(Vec<String>);

impl Pairs {
    /// Returns whether a tag has its counterpart, if it needs one.
    fn has(&mut self, tag: &Tag<'_>, after: &str) -> bool {
        if ![
            "a", "b", "em", "font", "i", "small", "span", "strong", "sub", "sup", "u",
        ]
        .contains(&&*tag.name)
        {
            return true;
        }
        if tag.closes {
            let open = self.0.iter().rposition(|name| *name == tag.name);
            return open.map(|index| self.0.remove(index)).is_some();
        }
        let is_closed = after.to_ascii_lowercase().contains(&format!("</{}>", tag.name));
        if is_closed {
            self.0.push(tag.name.clone());
        }
        is_closed
    }
}

/// Writes the Markdown of a tag. Returns whether it is known.
fn write(tag: &Tag<'_>, out: &mut String, links: &mut Vec<Option<(String, usize)>>) -> bool {
    match (tag.name.as_str(), tag.closes) {
        ("p" | "div" | "ul" | "ol" | "dl" | "table" | "thead" | "tbody" | "pre" | "blockquote" | "hr", _)
        | ("h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "details" | "summary", _) => paragraph(out),
        ("br", _) => match out
            .lines()
            .last()
            .is_some_and(|line| line.trim_start().starts_with('|'))
        {
            true => out.push(' '),
            false => paragraph(out),
        },
        ("li" | "dt" | "tr", false) => {
            line(out);
            out.push_str("- ");
        }
        ("li" | "dt" | "tr", true) => line(out),
        ("td" | "th" | "dd", false) if !out.ends_with([' ', '\n']) => out.push(' '),
        ("strong" | "b", _) => out.push_str("**"),
        ("em" | "i", _) => out.push('*'),
        ("a", false) => links.push(tag.target().map(|target| (target, out.len()))),
        ("a", true) => {
            if let Some(Some((target, begin))) = links.pop() {
                link(out, &target, begin);
            }
        }
        ("td" | "th" | "dd" | "span" | "sup" | "sub" | "small" | "u" | "font" | "img" | "center", _) => {}
        _ => return false,
    }
    // Ends of lines lose their spaces: a link begins no later than the text ends.
    for (_, begin) in links.iter_mut().flatten() {
        *begin = (*begin).min(out.len());
    }
    true
}

/// Makes a link of the text that begins there.
fn link(out: &mut String, target: &str, begin: usize) {
    let text = out.split_off(begin.min(out.len()));
    let text = text.trim();
    match text {
        "" => {}
        text if text == target => out.push_str(&format!("<{target}>")),
        text if text.contains(['[', ']', '\n']) => out.push_str(&format!("{text} (<{target}>)")),
        text => out.push_str(&format!("[{text}]({target})")),
    }
}

/// Writes the content of a `<code>` as a code span. Returns the rest of the text, if the code ends.
fn code_of<'t>(text: &'t str, out: &mut String) -> Option<&'t str> {
    let end = text.find("</code>")?;
    let (inner, after) = (&text[..end], &text["</code>".len() + end..]);
    let inner = match inner.contains('<') {
        true => markdown(inner).replace(['`', '*', '\n'], " "),
        false => inner.to_owned(),
    };
    let entities = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&amp;", "&"),
    ];
    let inner = entities
        .iter()
        .fold(inner, |text, (entity, sign)| text.replace(entity, sign));
    let inner = inner.trim();
    if !inner.is_empty() && !inner.contains(['`', '\n']) {
        out.push_str(&format!("`{inner}`"));
    } else {
        out.push_str(inner);
    }
    Some(after)
}

/// Ends a line.
fn line(out: &mut String) {
    out.truncate(out.trim_end_matches(' ').len());
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
}

/// Ends a paragraph.
fn paragraph(out: &mut String) {
    line(out);
    if !out.is_empty() && !out.ends_with("\n\n") {
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::markdown;

    #[test]
    fn tags_are_markdown() {
        for (html, text) in [
            (
                "<p>One.</p>\n<p>Two <strong>bold</strong>.</p>",
                "One.\n\nTwo **bold**.\n\n",
            ),
            ("One.<br/>Two.<BR>Three.", "One.\n\nTwo.\n\nThree."),
            ("| a | b<br>c |", "| a | b c |"),
            ("<ul><li>One</li><li>Two</li></ul>After", "- One\n- Two\n\nAfter"),
            ("a <code>x&lt;y</code> b", "a `x<y` b"),
            (
                "<a href=\"https://a.example/?b&amp;c\">the docs</a>.",
                "[the docs](https://a.example/?b&c).",
            ),
            (
                "<a href='https://a.example'>https://a.example</a>",
                "<https://a.example>",
            ),
            ("<a href=\"/docs\">the docs</a>", "the docs"),
            (
                "<p>Never <em>closed, <code>and so on",
                "Never <em>closed, <code>and so on",
            ),
            ("It is `a`, </i> or <b>.", "It is `a`, </i> or <b>."),
            ("of Vec<T> and <id>, 1 < 2 > 0", "of Vec<T> and <id>, 1 < 2 > 0"),
            ("`<p>` is code<!-- and this is not shown -->", "`<p>` is code"),
            ("<https://a.example/p>", "<https://a.example/p>"),
            (
                "x     <a href=\"https://a.example\"><br>ééé</a>",
                "x\n\n[ééé](https://a.example)",
            ),
        ] {
            assert_eq!(markdown(html), text, "{html:?}");
        }
    }
}
