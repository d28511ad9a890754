//! Control characters, which names must not contain: they change the display of a line in a terminal or a log, or are
//! invisible.

/// Returns whether a text has control characters, line separators, bidirectional controls or other invisible format
/// characters.
///
/// The joiners U+200C and U+200D are allowed: words of several languages need them.
pub fn has_control_characters(text: &str) -> bool {
    let invisible = |c: char| {
        matches!(
            c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'
                ..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
        )
    };
    text.chars().any(|c| c.is_control() || invisible(c))
}

#[cfg(test)]
mod tests {
    use super::has_control_characters;

    #[test]
    fn what_cannot_be_seen_is_found() {
        for text in [
            "a\nb",
            "\u{9b}31m",
            "\u{202a}",
            "\u{202e}x",
            "a\u{2066}",
            "\u{2069}",
            "a\u{2028}b",
            "\u{2029}",
            "\u{200b}",
            "\u{200e}",
            "\u{200f}",
            "\u{feff}a",
            "\u{61c}",
            "\u{e0041}",
        ] {
            assert!(has_control_characters(text), "{text:?}");
        }
        for text in ["", "first key", "nøkkel", "می\u{200c}خواهم", "鍵", "👩\u{200d}🔬"] {
            assert!(!has_control_characters(text), "{text:?}");
        }
    }
}
