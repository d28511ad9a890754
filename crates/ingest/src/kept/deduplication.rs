//! Deduplication of the values of a line: the last one of an id counts, and indistinguishable values are rejected.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use chrono::NaiveDate;
use uuid::Uuid;

use super::identity::Identity;
use super::session::Session;
use super::summary::{Context, Draft, Summary};
use crate::IngestError;

/// Members that two values of a line share if they are the same summary.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Id(Uuid),
    ProviderId(String),
    Session(NaiveDate, Option<Session>),
}

impl Key {
    fn of(summary: &Summary) -> Self {
        match (summary.identity, &summary.provider_id) {
            (Identity::ByDay, Some(id)) => Self::ProviderId(id.clone()),
            (Identity::ByDay, None) => Self::Session(summary.day, summary.session()),
            _ => Self::Id(summary.id),
        }
    }

    /// Returns whether the last value with it counts.
    fn is_id(&self, summary: &Summary) -> bool {
        summary.identity == Identity::ById || matches!(self, Self::ProviderId(_))
    }
}

impl Context<'_> {
    /// Deduplicates the values of a line: keeps the last one of the same summary, and gives each an id of its own.
    /// Returns them with their positions.
    ///
    /// The result does not depend on the order of values that differ.
    ///
    /// # Errors
    ///
    /// Returns an error if two values that differ are indistinguishable.
    pub(super) fn deduplicate(&self, drafts: Vec<Draft>) -> Result<Vec<(usize, Draft)>, IngestError> {
        let mut values: Vec<Option<Draft>> = Vec::with_capacity(drafts.len());
        let mut by_key: HashMap<Key, usize> = HashMap::new();
        for (place, draft) in drafts.into_iter().enumerate() {
            let key = Key::of(&draft.summary);
            let is_id = key.is_id(&draft.summary);
            if let Some(first) = by_key.insert(key, place)
                && let Some(replaced) = values.get_mut(first).and_then(Option::take)
                && !is_id
                && replaced.value != draft.value
            {
                return Err(ambiguous(&draft.summary, first, place));
            }
            values.push(Some(draft));
        }
        let values = values.into_iter().enumerate();
        let mut values: Vec<_> = values.filter_map(|(place, draft)| Some((place, draft?))).collect();
        if let Some((first, second)) = first_indistinct(&values) {
            return Err(ambiguous(second.summary, first.place, second.place));
        }
        let is_of_day = |draft: &Draft| draft.summary.identity == Identity::ByDay;
        let mut ids: HashMap<Uuid, usize> = (values.iter().filter(|(_, draft)| !is_of_day(draft)))
            .map(|(place, draft)| (draft.summary.id, *place))
            .collect();
        for (place, draft) in values.iter_mut().filter(|(_, draft)| is_of_day(draft)) {
            if let Entry::Occupied(_) = ids.entry(draft.summary.id) {
                draft.summary.id = self.numbered_id(&draft.summary, 0);
            }
            ids.insert(draft.summary.id, *place);
        }
        Ok(values)
    }
}

/// Value of a line. Two with different provider ids are distinct.
#[derive(Clone, Copy)]
struct Item<'v> {
    place: usize,
    summary: &'v Summary,
}

impl Item<'_> {
    fn has_provider_id(&self) -> bool {
        self.summary.provider_id.is_some()
    }
}

/// Returns two values that are not distinct, in their order.
fn first_indistinct(values: &[(usize, Draft)]) -> Option<(Item<'_>, Item<'_>)> {
    // Nights are compared whatever day they are of.
    let mut groups: BTreeMap<Option<NaiveDate>, Vec<Item<'_>>> = BTreeMap::new();
    for (place, draft) in values {
        let (place, summary) = (*place, &draft.summary);
        let group = match summary.identity {
            Identity::ByOverlap => None,
            Identity::ByDay => Some(summary.day),
            Identity::ById | Identity::ByStart => continue,
        };
        groups.entry(group).or_default().push(Item { place, summary });
    }
    let pairs = groups.into_values().filter_map(|items| {
        let (timed, untimed): (Vec<_>, Vec<_>) = items.into_iter().partition(|item| item.summary.start.is_some());
        untimed_pair(&timed, &untimed).or_else(|| overlapping_pair(timed))
    });
    let ordered = pairs.map(|(one, other)| match one.place < other.place {
        true => (one, other),
        false => (other, one),
    });
    ordered.min_by_key(|(_, second)| second.place)
}

/// Returns two values of a day of which one has no session, and one no provider id.
fn untimed_pair<'v>(timed: &[Item<'v>], untimed: &[Item<'v>]) -> Option<(Item<'v>, Item<'v>)> {
    let anonymous = |items: &[Item<'v>]| items.iter().find(|item| !item.has_provider_id()).copied();
    if let Some(item) = anonymous(untimed) {
        let mut others = untimed.iter().chain(timed);
        let other = others.find(|other| other.place != item.place)?;
        return Some((item, *other));
    }
    Some((*untimed.first()?, anonymous(timed)?))
}

/// Returns two values whose sessions overlap, and of which one has no provider id.
fn overlapping_pair(mut items: Vec<Item<'_>>) -> Option<(Item<'_>, Item<'_>)> {
    items.sort_by_key(|item| (item.summary.start, item.place));
    // Of all values so far, and of those without a provider id.
    let mut seen: [Seen<'_>; 2] = Default::default();
    for item in items {
        let compared = &seen[usize::from(item.has_provider_id())];
        if let Some(other) = compared.overlapping(&item) {
            return Some((other, item));
        }
        let count = if item.has_provider_id() { 1 } else { 2 };
        seen.iter_mut().take(count).for_each(|seen| seen.add(item));
    }
    None
}

/// Values in the order of their starts.
#[derive(Default)]
struct Seen<'v> {
    last: Option<Item<'v>>,
    /// Item that ends last.
    longest: Option<Item<'v>>,
}

impl<'v> Seen<'v> {
    /// Returns a value whose session overlaps that of a later one, as [`Session::overlap`] has it.
    fn overlapping(&self, item: &Item<'_>) -> Option<Item<'v>> {
        let session = item.summary.session()?;
        let overlaps = |other: &Item<'_>| {
            other
                .summary
                .session()
                .is_some_and(|other| other.overlap(session).is_some())
        };
        [self.last, self.longest].into_iter().flatten().find(overlaps)
    }

    fn add(&mut self, item: Item<'v>) {
        self.last = Some(item);
        let end = |item: Item<'_>| item.summary.end;
        if self.longest.is_none_or(|longest| end(longest) < end(item)) {
            self.longest = Some(item);
        }
    }
}

/// Creates the error of a line because two of its values may be one summary.
fn ambiguous(summary: &Summary, first: usize, second: usize) -> IngestError {
    let reason = match summary.identity {
        Identity::ByOverlap => {
            format!("overlaps data[{first}], and neither has an id: give each its id or provider_id")
        }
        Identity::ByDay => format!(
            "is of the same day as data[{first}]: give each its id or provider_id, or a start and an end that do not overlap"
        ),
        Identity::ById | Identity::ByStart => {
            format!("begins when data[{first}] does, and neither has an id: give each its id or provider_id")
        }
    };
    IngestError::Refused {
        field: format!("data[{second}]"),
        reason,
    }
}
