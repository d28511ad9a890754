//! The words of the list's texts, with their roles.

use crate::words::parts;

/// Folded word.
#[derive(Debug, PartialEq)]
pub(crate) struct Word {
    pub(crate) text: String,
    pub(crate) role: Role,
}

/// Role of a word in its text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Role {
    Main,
    /// Word without information for a search: "unspecified", words in parentheses, negated words.
    Aside,
    /// Synonym of other words: an abbreviation in brackets, or hyphenated words joined.
    Also,
}

/// Splits a folded text into words.
///
/// An apostrophe is dropped, and a hyphenated word is also joined: "Crohn's" is "crohns", and "X-ray" is "x", "ray" and
/// "xray".
pub(crate) fn words(folded: &str) -> Vec<Word> {
    let (mut found, mut aside, mut also, mut negated) = (Vec::new(), 0_usize, 0_usize, false);
    for chunk in folded.split_inclusive([' ', ',', '(', ')', '[', ']', ';', '/']) {
        let (body, end) = match chunk.char_indices().next_back() {
            Some((at, last)) if !is_inner(last) => (&chunk[..at], last),
            _ => (chunk, ' '),
        };
        let parts: Vec<String> = parts(body).collect();
        let whole = (parts.len() > 1).then(|| parts.concat());
        for text in parts {
            let role = if aside > 0 || negated || GENERIC.contains(&text.as_str()) {
                Role::Aside
            } else if also > 0 {
                Role::Also
            } else {
                Role::Main
            };
            negated |= NEGATIONS.contains(&text.as_str());
            found.push(Word { text, role });
        }
        found.extend(whole.map(|text| Word { text, role: Role::Also }));
        match end {
            '(' => aside += 1,
            ')' => aside = aside.saturating_sub(1),
            '[' => also += 1,
            ']' => also = also.saturating_sub(1),
            ',' | ';' => negated = false,
            _ => {}
        }
    }
    found
}

fn is_inner(c: char) -> bool {
    !matches!(c, ' ' | ',' | '(' | ')' | '[' | ']' | ';' | '/')
}

/// Words such as "unspecified", function words, and words that most queries omit.
const GENERIC: &[&str] = &[
    "a",
    "an",
    "and",
    "as",
    "at",
    "by",
    "due",
    "female",
    "for",
    "from",
    "in",
    "is",
    "male",
    "nec",
    "no",
    "nos",
    "not",
    "of",
    "on",
    "or",
    "organism",
    "part",
    "site",
    "the",
    "to",
    "uncomplicated",
    "unspecified",
    "with",
    "without",
];

const NEGATIONS: &[&str] = &["no", "not", "without"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::fold;

    fn of(text: &str) -> Vec<(String, Role)> {
        words(&fold(text))
            .into_iter()
            .map(|word| (word.text, word.role))
            .collect()
    }

    #[test]
    fn accents_case_and_apostrophes_are_folded() {
        for text in ["Ménière's", "MÉNIÈRE\u{2019}S", "me\u{301}nie\u{300}re's", "menieres"] {
            assert_eq!(of(text), [("menieres".to_owned(), Role::Main)], "{text}");
        }
    }

    #[test]
    fn hyphenated_words_are_split_and_joined() {
        let found = of("Non-Hodgkin");
        assert_eq!(
            found.iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>(),
            ["non", "hodgkin", "nonhodgkin"]
        );
    }

    #[test]
    fn negated_words_are_asides() {
        let message = |text| {
            let found = of(text).into_iter().filter(|(_, role)| *role == Role::Main);
            found.map(|(text, _)| text).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            message("Type 2 diabetes mellitus without complications"),
            "type 2 diabetes mellitus"
        );
        assert_eq!(
            message("Migraine, unspecified, not intractable, with aura"),
            "migraine aura"
        );
        assert_eq!(message("Essential (primary) hypertension"), "essential hypertension");
    }
}
