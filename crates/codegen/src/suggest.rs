//! What a name that is not known was most likely meant to be.

/// The known name that is nearest to `name`, if one is near.
pub(crate) fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let lower = name.to_lowercase();
    // One slip in a short name, three in a long one.
    let slips = (lower.chars().count() / 4).clamp(1, 3);
    known
        .into_iter()
        .map(|candidate| {
            (
                strsim::damerau_levenshtein(&lower, &candidate.to_lowercase()),
                candidate,
            )
        })
        .filter(|(distance, candidate)| *distance <= slips && *distance < candidate.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Advice for a name that is not known, and what else may be done.
pub(crate) fn advice_or<'k>(name: &str, known: impl IntoIterator<Item = &'k str> + Clone, or: &str) -> String {
    match nearest(name, known.clone()) {
        Some(meant) => format!("did you mean `{meant}`? If not, {or}"),
        None => format!("{}; or {or}", advice(name, known)),
    }
}

/// Advice for a name that is not known: what was meant, or else what there is.
pub(crate) fn advice<'k>(name: &str, known: impl IntoIterator<Item = &'k str> + Clone) -> String {
    /// More than this is no help.
    const SHOWN: usize = 16;
    if let Some(meant) = nearest(name, known.clone()) {
        return format!("did you mean `{meant}`?");
    }
    let known: Vec<_> = known.into_iter().collect();
    match known.len() {
        0 => "there is none yet: declare it".to_owned(),
        count if count > SHOWN => format!("there are: {}, and {} more", known[..SHOWN].join(", "), count - SHOWN),
        _ => format!("there are: {}", known.join(", ")),
    }
}
