//! Suggestions for unknown names.

/// Returns the valid name that is nearest to `name`, if one is near: one typo in a short name, three in a long one.
pub fn nearest(name: &str, known: impl IntoIterator<Item = &'static str>) -> Option<&'static str> {
    let lower = name.to_lowercase();
    let length = lower.chars().count();
    let typos = (length / 4).clamp(1, 3);
    known
        .into_iter()
        // A name may be long, and computing the distance takes time in proportion to its length.
        .filter(|known| known.chars().count().abs_diff(length) <= typos)
        .map(|known| (strsim::damerau_levenshtein(&lower, &known.to_lowercase()), known))
        .filter(|(distance, known)| *distance <= typos && *distance < known.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

/// Maximum bytes of a name that [`most_similar`] compares: that takes time in proportion to its length.
const MAX_COMPARED: usize = 100;

/// Returns the valid name that is most similar to `name`, if one is similar: also with other endings, or with letters
/// in another order.
pub fn most_similar<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    if name.len() > MAX_COMPARED {
        return None;
    }
    known
        .into_iter()
        .map(|known| (strsim::jaro_winkler(known, name), known))
        .filter(|(score, known)| *score > 0.85 && *known != name)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, known)| known)
}

/// Creates a hint: the nearest name, or else all of them.
pub(crate) fn hint(name: &str, known: impl IntoIterator<Item = &'static str> + Clone) -> String {
    nearest(name, known.clone()).map_or_else(
        || format!("expected one of: {}", known.into_iter().collect::<Vec<_>>().join(", ")),
        |meant| format!("did you mean `{meant}`?"),
    )
}

#[cfg(test)]
mod tests {
    use super::{MAX_COMPARED, hint, most_similar, nearest};

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

    #[test]
    fn the_most_similar_name_is_another_one_that_looks_alike() {
        let known = ["heartrate", "heart_rate_alert", "hrv", "steps"];
        assert_eq!(most_similar("heart_rate", known), Some("heartrate"));
        assert_eq!(most_similar("heart_rate_alarm", known), Some("heart_rate_alert"));
        assert_eq!(most_similar("step", known), Some("steps"));
        assert_eq!(most_similar("steps", known), None, "itself");
        assert_eq!(most_similar("mood", known), None);
        let long = "s".repeat(MAX_COMPARED + 1);
        assert_eq!(most_similar(&long, [&long[1..]]), None);
    }
}
