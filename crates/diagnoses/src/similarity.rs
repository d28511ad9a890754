//! Similarity of a word of the list to a token of the query.

use crate::words::first;

/// Similarity of equal words, in thousandths.
const EQUAL: u32 = 1000;
const SINGULAR: u32 = 950;
/// Minimum similarity of a prefix, and its range by length.
const PREFIX: u32 = 300;
const LONGER: usize = 600;
const TYPO: u32 = 500;
const TYPO_IN_PREFIX: u32 = 300;
/// Minimum length of a word with a typo: shorter ones have too many neighbours.
const LONG: usize = 5;

/// Returns the similarity of `word` to `token`, or `None` if it does not match.
pub(crate) fn similarity(token: &str, word: &str) -> Option<u32> {
    if word.starts_with(token) {
        return Some(similarity_of_prefix(token, word));
    }
    singulars(token).any(|singular| singular == word).then_some(SINGULAR)
}

/// Returns the similarity of `word` to `token`, which is a prefix of it.
pub(crate) fn similarity_of_prefix(token: &str, word: &str) -> u32 {
    if word.len() == token.len() {
        return EQUAL;
    }
    let longer = LONGER * token.len() / word.len();
    PREFIX + u32::try_from(longer).unwrap_or(0)
}

/// Returns the words whose plural or possessive this may be.
pub(crate) fn singulars(token: &str) -> impl Iterator<Item = String> {
    let ends = [("s", ""), ("ses", "s"), ("xes", "x"), ("hes", "h"), ("ies", "y")];
    ends.into_iter().filter_map(|(plural, singular)| {
        let stem = token.strip_suffix(plural)?;
        (stem.len() >= 2 && token.len() >= 4).then(|| format!("{stem}{singular}"))
    })
}

/// Returns the similarity of `word` to `token`, or to a prefix of it, with one typo: a letter that is missing, added,
/// replaced or swapped with the next. `token` [may have one](may_have_typo).
pub(crate) fn similarity_of_typo(token: &str, word: &str) -> Option<u32> {
    let rest = typo(token, word)?;
    // With one missing, five letters are four.
    let long = token.len() >= LONG || (rest == 0 && word.len() >= LONG);
    long.then_some(if rest == 0 { TYPO } else { TYPO_IN_PREFIX })
}

/// Returns whether a typo in the word is tolerated: it is long, and has only letters.
pub(crate) fn may_have_typo(token: &str) -> bool {
    token.len() + 1 >= LONG && token.chars().all(char::is_alphabetic)
}

/// Returns whether a word of the letters `typed` can be one of the letters `meant` with a typo, which adds one letter
/// at most.
pub(crate) fn may_match(typed: u32, meant: u32) -> bool {
    let extra = typed & !meant;
    extra & extra.wrapping_sub(1) == 0
}

/// Returns whether a word that begins with `typed` can be one that begins with `meant` with a typo, which removes one
/// of the three letters, shifts those after it, or swaps two.
pub(crate) fn may_begin(typed: [u8; 3], meant: [u8; 3]) -> bool {
    let ([a, b, c], [x, y, z]) = (typed, meant);
    (a == x && (b == y || b == z || c == y || c == z))
        || (b == y && c == z)
        || (a == y && (b == z || (b == x && c == z)))
        || (b == x && c == y)
        // Letters of several bytes.
        || (a | b | c | x | y | z) >= 0x80
}

/// Returns the number of bytes of `word` after `token`, which has one typo.
fn typo(token: &str, word: &str) -> Option<usize> {
    let same = token.char_indices().zip(word.chars()).find(|((_, a), b)| a != b);
    let same = same.map_or(token.len().min(word.len()), |((at, _), _)| at);
    let (mut typed, mut meant) = (token[same..].chars(), word[same..].chars());
    let (from_wrong, from_right) = (typed.as_str(), meant.as_str());
    let (wrong, right) = (typed.next(), meant.next());
    let (after_wrong, after_right) = (typed.as_str(), meant.as_str());
    let swapped = (typed.next() == right && meant.next() == wrong).then_some((typed.as_str(), meant.as_str()));
    let after = |typed: &str, meant: &str| meant.strip_prefix(typed).map(str::len);
    let ways = [
        after(after_wrong, after_right),
        after(from_wrong, after_right),
        after(after_wrong, from_right),
        swapped.and_then(|(typed, meant)| after(typed, meant)),
    ];
    ways.into_iter().flatten().min()
}

/// Returns whether `token` is `word` with one typo.
pub(crate) fn is_typo(token: &str, word: &str) -> bool {
    word.len() >= LONG && may_begin(first(token), first(word)) && may_have_typo(token) && typo(token, word) == Some(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::letters;

    #[test]
    fn one_typo_is_tolerated_in_a_long_word() {
        for token in [
            "asthna", "astma", "ashtma", "assthma", "sthma", "asthmaa", "sathma", "qasthma", "asthmq",
        ] {
            assert!(is_typo(token, "asthma"), "{token}");
            assert_eq!(similarity_of_typo(token, "asthma"), Some(TYPO), "{token}");
            assert!(may_match(letters(token), letters("asthma")), "{token}");
            assert!(may_begin(first(token), first("asthma")), "{token}");
            assert_eq!(similarity(token, "asthma"), None, "{token}");
        }
        for token in ["astmaa", "ahstna", "thma", "athsmaa", "asthmaqq", "qqsthma"] {
            assert_eq!(similarity_of_typo(token, "asthma"), None, "{token}");
        }
        assert_eq!(similarity_of_typo("diabtes", "diabetes"), Some(TYPO));
        assert_eq!(similarity_of_typo("hyprten", "hypertension"), Some(TYPO_IN_PREFIX));
    }

    #[test]
    fn short_words_and_numbers_must_be_exact() {
        assert_eq!(similarity_of_typo("gotu", "gout"), None);
        assert_eq!(similarity_of_typo("rbit", "orbit"), Some(TYPO), "four of five letters");
        assert_eq!(similarity_of_typo("rbit", "orbital"), None);
        assert!(may_have_typo("rbit") && !may_have_typo("out") && !may_have_typo("covid19"));
    }

    #[test]
    fn the_longer_a_beginning_the_better() {
        let token = ["hypertension", "hypertensions", "hypertens", "hyper", "h"];
        let score: Vec<_> = token.iter().map(|token| similarity(token, "hypertension")).collect();
        assert!(score.iter().all(Option::is_some), "{score:?}");
        assert!(score.is_sorted_by(|a, b| a > b), "{score:?}");
        assert_eq!(similarity("tension", "hypertension"), None);
    }

    #[test]
    fn plurals_find_their_singular() {
        for (token, word) in [
            ("headaches", "headache"),
            ("abscesses", "abscess"),
            ("allergies", "allergy"),
        ] {
            assert_eq!(similarity(token, word), Some(SINGULAR));
        }
        assert_eq!(similarity("gas", "ga"), None, "too short");
        assert_eq!(similarity("hives", "hiv"), None);
    }

    #[test]
    fn letters_of_several_bytes_are_letters() {
        assert!(is_typo("данные", "донные"));
        for (token, word) in [("αβγδεζ", "αβγδζ"), ("βαγδεζ", "αβγδεζ"), ("日本語日本", "日本語本日")]
        {
            assert!(is_typo(token, word), "{token} {word}");
            assert!(may_match(letters(token), letters(word)), "{token} {word}");
            assert!(may_begin(first(token), first(word)), "{token} {word}");
        }
        assert!(!is_typo("日本語", "asthma"));
    }
}
