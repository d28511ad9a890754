//! Suggestions for unknown names.

/// The existing name that is nearest to `name`, if one is near.
pub(crate) fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let lower = name.to_lowercase();
    // One typo in a short name, three in a long one.
    let typos = (lower.chars().count() / 4).clamp(1, 3);
    known
        .into_iter()
        .map(|candidate| {
            (
                strsim::damerau_levenshtein(&lower, &candidate.to_lowercase()),
                candidate,
            )
        })
        .filter(|(distance, candidate)| *distance <= typos && *distance < candidate.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Help for an unknown name, with an alternative.
pub(crate) fn advice_or<'k>(name: &str, known: impl IntoIterator<Item = &'k str> + Clone, or: &str) -> String {
    match nearest(name, known.clone()) {
        Some(meant) => format!("did you mean `{meant}`? If not, {or}"),
        None => format!("{}; or {or}", advice(name, known)),
    }
}

/// Help for an unknown name: the nearest existing name, or else a list of them.
pub(crate) fn advice<'k>(name: &str, known: impl IntoIterator<Item = &'k str> + Clone) -> String {
    /// Maximum number of listed names.
    const SHOWN: usize = 16;
    if let Some(meant) = nearest(name, known.clone()) {
        return format!("did you mean `{meant}`?");
    }
    let known: Vec<_> = known.into_iter().collect();
    match known.len() {
        0 => "none is declared yet: add it".to_owned(),
        count if count > SHOWN => format!(
            "expected one of: {}, and {} more",
            known[..SHOWN].join(", "),
            count - SHOWN
        ),
        _ => format!("expected one of: {}", known.join(", ")),
    }
}
