//! Changes the whitespace of JSON. Numbers and the order of members stay as they are.

/// JSON on one line.
pub(crate) fn compact(json: &str) -> String {
    tokens(json).collect()
}

/// Indented JSON.
pub(crate) fn pretty(json: &str) -> String {
    let mut text = String::new();
    let mut depth = 0;
    let mut parts = tokens(json).peekable();
    while let Some(part) = parts.next() {
        let next = parts.peek().copied().unwrap_or_default();
        text.push_str(part);
        match part {
            "{" | "[" => depth += 1,
            "}" | "]" => depth -= 1,
            _ => {}
        }
        let ends = matches!(next, "}" | "]");
        match part {
            ":" => text.push(' '),
            "{" | "[" if ends => {}
            "{" | "[" | "," => line(&mut text, depth),
            _ if ends => line(&mut text, depth - 1),
            _ => {}
        }
    }
    text
}

fn line(text: &mut String, depth: usize) {
    text.push('\n');
    text.extend(std::iter::repeat_n("  ", depth));
}

/// The tokens of valid JSON.
fn tokens(json: &str) -> impl Iterator<Item = &str> {
    let mut rest = json;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let length = match rest.as_bytes().first()? {
            b'"' => string_length(rest),
            b'{' | b'}' | b'[' | b']' | b':' | b',' => 1,
            _ => rest.find([',', '}', ']', ' ', '\t', '\r', '\n']).unwrap_or(rest.len()),
        };
        let (part, after) = rest.split_at(length);
        rest = after;
        Some(part)
    })
}

/// The length of a string with its quotes.
fn string_length(rest: &str) -> usize {
    let mut escaped = true; // The first quote does not end the string.
    let end = rest.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    end.map_or(rest.len(), |end| end + 1)
}

/// The same JSON, with DEL, C1 controls and bidirectional controls as escapes: JSON has them within strings alone.
pub(crate) fn escape_controls(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        let changes = c.is_control() && !matches!(c, '\n' | '\t' | '\r')
            || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        match changes {
            true => escaped.push_str(&format!("\\u{:04x}", u32::from(c))),
            false => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::{compact, pretty};

    #[test]
    fn controls_of_a_terminal_are_escaped() {
        let json = "{\n  \"name\": \"\u{9b}31m\u{7f}\u{202e}é\"\n}\n";
        let escaped = super::escape_controls(json);
        assert_eq!(escaped, "{\n  \"name\": \"\\u009b31m\\u007f\\u202eé\"\n}\n");
    }

    #[test]
    fn nothing_but_spaces_changes() {
        let sent =
            "\n{ \"b\" : 1.50e+400,\t\"a\":[ 12345678901234567890123 , -0.0 ],\"a\" :\"x \\\\\\\", \\u00e9 }\" }\r\n";
        let expected = r#"{"b":1.50e+400,"a":[12345678901234567890123,-0.0],"a":"x \\\", \u00e9 }"}"#;
        assert_eq!(compact(sent), expected);
        assert_eq!(compact(&pretty(sent)), compact(sent));
    }

    #[test]
    fn lines_are_those_that_serde_json_makes() {
        for json in [
            r#"{"a":{},"b":[],"c":[{"d":[1,[2,null],true]},"x, {y}: [z]"],"e":"日本 \" \\"}"#,
            "[]",
            "[[],[{}]]",
            r#""a""#,
            "null",
            "17",
        ] {
            let value: serde_json::Value = serde_json::from_str(json).expect("JSON");
            assert_eq!(pretty(json), serde_json::to_string_pretty(&value).expect("JSON"));
            assert_eq!(compact(&pretty(json)), json);
            assert_eq!(compact(json), json);
        }
    }
}
