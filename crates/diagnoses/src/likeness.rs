//! How well a word of the list answers a word of a query.

use crate::words::first;

/// In thousandths: what is equal is as good as can be.
const EQUAL: u32 = 1000;
const SINGULAR: u32 = 950;
/// The least for a beginning, and what more it has the longer it is.
const BEGINNING: u32 = 300;
const LONGER: usize = 600;
const SLIP: u32 = 500;
const SLIP_IN_BEGINNING: u32 = 300;
/// Shorter words are too easily one letter from another.
const LONG: usize = 5;

/// How well `word` answers `asked`, or nothing if it does not.
pub(crate) fn likeness(asked: &str, word: &str) -> Option<u32> {
    if word.starts_with(asked) {
        return Some(likeness_of_beginning(asked, word));
    }
    singulars(asked).any(|singular| singular == word).then_some(SINGULAR)
}

/// How well `word` answers `asked`, with which it begins.
pub(crate) fn likeness_of_beginning(asked: &str, word: &str) -> u32 {
    if word.len() == asked.len() {
        return EQUAL;
    }
    let longer = LONGER * asked.len() / word.len();
    BEGINNING + u32::try_from(longer).unwrap_or(0)
}

/// What the word may be the plural of, or the possessive.
pub(crate) fn singulars(asked: &str) -> impl Iterator<Item = String> {
    let ends = [("s", ""), ("ses", "s"), ("xes", "x"), ("hes", "h"), ("ies", "y")];
    ends.into_iter().filter_map(|(plural, singular)| {
        let stem = asked.strip_suffix(plural)?;
        (stem.len() >= 2 && asked.len() >= 4).then(|| format!("{stem}{singular}"))
    })
}

/// How well `word`, or its beginning, answers `asked` if one letter of this is a slip: missing, too much, another or
/// swapped with the next. `asked` is a word that [may have one](may_slip).
pub(crate) fn likeness_of_slip(asked: &str, word: &str) -> Option<u32> {
    let goes_on = slip(asked, word)?;
    // Of five letters, four are left if one is missing.
    let long = asked.len() >= LONG || (goes_on == 0 && word.len() >= LONG);
    long.then_some(if goes_on == 0 { SLIP } else { SLIP_IN_BEGINNING })
}

/// Whether a slip in the word can be forgiven: it is long, and has letters only.
pub(crate) fn may_slip(asked: &str) -> bool {
    asked.len() + 1 >= LONG && asked.chars().all(char::is_alphabetic)
}

/// Whether a word of the letters `typed` can be one of the letters `meant` with a slip, which brings in one letter at most.
pub(crate) fn may_have(typed: u32, meant: u32) -> bool {
    let foreign = typed & !meant;
    foreign & foreign.wrapping_sub(1) == 0
}

/// Whether a word that begins with `typed` can be one that begins with `meant` with a slip, which takes away one of the
/// three letters, moves the ones after it, or swaps two.
pub(crate) fn may_begin(typed: [u8; 3], meant: [u8; 3]) -> bool {
    let ([a, b, c], [x, y, z]) = (typed, meant);
    (a == x && (b == y || b == z || c == y || c == z))
        || (b == y && c == z)
        || (a == y && (b == z || (b == x && c == z)))
        || (b == x && c == y)
        // Letters of several bytes.
        || (a | b | c | x | y | z) >= 0x80
}

/// How many bytes `word` goes on with after `asked`, one of whose letters is a slip.
fn slip(asked: &str, word: &str) -> Option<usize> {
    let same = asked.char_indices().zip(word.chars()).find(|((_, a), b)| a != b);
    let same = same.map_or(asked.len().min(word.len()), |((at, _), _)| at);
    let (mut typed, mut meant) = (asked[same..].chars(), word[same..].chars());
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

/// Whether `asked` is `word` but for one letter.
pub(crate) fn is_slip(asked: &str, word: &str) -> bool {
    word.len() >= LONG && may_begin(first(asked), first(word)) && may_slip(asked) && slip(asked, word) == Some(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::letters;

    #[test]
    fn one_slip_is_forgiven_in_a_long_word() {
        for asked in [
            "asthna", "astma", "ashtma", "assthma", "sthma", "asthmaa", "sathma", "qasthma", "asthmq",
        ] {
            assert!(is_slip(asked, "asthma"), "{asked}");
            assert_eq!(likeness_of_slip(asked, "asthma"), Some(SLIP), "{asked}");
            assert!(may_have(letters(asked), letters("asthma")), "{asked}");
            assert!(may_begin(first(asked), first("asthma")), "{asked}");
            assert_eq!(likeness(asked, "asthma"), None, "{asked}");
        }
        for asked in ["astmaa", "ahstna", "thma", "athsmaa", "asthmaqq", "qqsthma"] {
            assert_eq!(likeness_of_slip(asked, "asthma"), None, "{asked}");
        }
        assert_eq!(likeness_of_slip("diabtes", "diabetes"), Some(SLIP));
        assert_eq!(likeness_of_slip("hyprten", "hypertension"), Some(SLIP_IN_BEGINNING));
    }

    #[test]
    fn short_words_and_numbers_are_taken_as_they_are() {
        assert_eq!(likeness_of_slip("gotu", "gout"), None);
        assert_eq!(likeness_of_slip("rbit", "orbit"), Some(SLIP), "four of five letters");
        assert_eq!(likeness_of_slip("rbit", "orbital"), None);
        assert!(may_slip("rbit") && !may_slip("out") && !may_slip("covid19"));
    }

    #[test]
    fn the_longer_a_beginning_the_better() {
        let asked = ["hypertension", "hypertensions", "hypertens", "hyper", "h"];
        let worth: Vec<_> = asked.iter().map(|asked| likeness(asked, "hypertension")).collect();
        assert!(worth.iter().all(Option::is_some), "{worth:?}");
        assert!(worth.is_sorted_by(|a, b| a > b), "{worth:?}");
        assert_eq!(likeness("tension", "hypertension"), None);
    }

    #[test]
    fn plurals_find_their_singular() {
        for (asked, word) in [
            ("headaches", "headache"),
            ("abscesses", "abscess"),
            ("allergies", "allergy"),
        ] {
            assert_eq!(likeness(asked, word), Some(SINGULAR));
        }
        assert_eq!(likeness("gas", "ga"), None, "too short");
        assert_eq!(likeness("hives", "hiv"), None);
    }

    #[test]
    fn letters_of_several_bytes_are_letters() {
        assert!(is_slip("данные", "донные"));
        for (asked, word) in [("αβγδεζ", "αβγδζ"), ("βαγδεζ", "αβγδεζ"), ("日本語日本", "日本語本日")]
        {
            assert!(is_slip(asked, word), "{asked} {word}");
            assert!(may_have(letters(asked), letters(word)), "{asked} {word}");
            assert!(may_begin(first(asked), first(word)), "{asked} {word}");
        }
        assert!(!is_slip("日本語", "asthma"));
    }
}
