//! Pairs parts of the old document with the corresponding parts of the new one.

/// A part in both documents, or in one of them.
pub(super) type Pair<'a, T> = (Option<&'a T>, Option<&'a T>);

/// A rule by which two parts are the same.
pub(super) type Same<'s, T> = &'s dyn Fn(&T, &T) -> bool;

/// Pairs in the order of the new document; a removed part follows the part that it followed.
///
/// Parts that `rules[0]` does not pair are paired by `rules[1]`, and so on.
pub(super) fn pairs<'a, T>(old: &'a [T], new: &'a [T], rules: &[Same<'_, T>]) -> Vec<Pair<'a, T>> {
    let mut partner: Vec<Option<usize>> = vec![None; new.len()];
    for same in rules {
        for (index, part) in new.iter().enumerate() {
            if partner[index].is_none() {
                partner[index] = (0..old.len()).find(|&at| !partner.contains(&Some(at)) && same(&old[at], part));
            }
        }
    }
    let mut order: Vec<(Option<usize>, Option<usize>)> = partner
        .iter()
        .enumerate()
        .map(|(index, partner)| (*partner, Some(index)))
        .collect();
    for gone in (0..old.len()).filter(|at| !partner.contains(&Some(*at))) {
        let behind = gone
            .checked_sub(1)
            .and_then(|before| order.iter().position(|(old, _)| *old == Some(before)));
        order.insert(behind.map_or(0, |at| at + 1), (Some(gone), None));
    }
    order
        .into_iter()
        .map(|(before, after)| (before.map(|at| &old[at]), after.map(|at| &new[at])))
        .collect()
}
