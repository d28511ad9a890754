//! Suggestions for unknown names.

/// The known name that is nearest to `name`, if one is near: one typo in a short name, three in a long one.
pub fn nearest(name: &str, known: impl IntoIterator<Item = &'static str>) -> Option<&'static str> {
    let lower = name.to_lowercase();
    let length = lower.chars().count();
    let typos = (length / 4).clamp(1, 3);
    known
        .into_iter()
        // A name may be long, and the distance takes time in proportion to its length.
        .filter(|known| known.chars().count().abs_diff(length) <= typos)
        .map(|known| (strsim::damerau_levenshtein(&lower, &known.to_lowercase()), known))
        .filter(|(distance, known)| *distance <= typos && *distance < known.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

/// A hint: the nearest name, or else all of them.
pub(crate) fn hint(name: &str, known: impl IntoIterator<Item = &'static str> + Clone) -> String {
    nearest(name, known.clone()).map_or_else(
        || format!("expected one of: {}", known.into_iter().collect::<Vec<_>>().join(", ")),
        |meant| format!("did you mean `{meant}`?"),
    )
}

#[cfg(test)]
mod tests {
    use super::{hint, nearest};

    #[test]
    fn a_typo_is_near_and_another_word_is_not() {
        let known = ["cancelled", "completed", "failed"];
        assert_eq!(nearest("canceled", known), Some("cancelled"));
        assert_eq!(nearest("COMPLETED", known), Some("completed"));
        assert_eq!(nearest("", known), None);
        assert_eq!(nearest("shipped", known), None);
        assert_eq!(hint("shipped", known), "expected one of: cancelled, completed, failed");
        assert_eq!(hint("faild", known), "did you mean `failed`?");
    }
}
