//! Progress of clients through lists: the rows that they have seen, and the rows that they must see.

use std::collections::BTreeSet;
use std::fmt::Debug;

use wearlab_models::Uuid;

/// Paging by offset or by page. Rows are identified by their position in the order of the list.
pub(super) struct OffsetWalk<P> {
    offset: usize,
    limit: usize,
    seen: Vec<P>,
    /// Rows that exist all the time, by their initial position.
    always: BTreeSet<P>,
    /// Number of rows before the current page that were added and deleted. They shift the next page.
    came: usize,
    went: usize,
    at_end: bool,
    /// Number of completed walks.
    pub(super) ended: u32,
}

impl<P: Ord + Clone + Debug> OffsetWalk<P> {
    pub(super) fn start(list: &[P], limit: usize) -> Self {
        Self {
            offset: 0,
            limit,
            seen: Vec::new(),
            always: list.iter().cloned().collect(),
            came: 0,
            went: 0,
            at_end: false,
            ended: 0,
        }
    }

    /// Returns the offset and the limit of the next page.
    pub(super) fn next(&self) -> (usize, usize) {
        (self.offset, self.limit)
    }

    /// Updates the walk after a change of the list.
    pub(super) fn changed(&mut self, before: &[P], after: &[P]) {
        let (old, new): (BTreeSet<_>, BTreeSet<_>) = (before.iter().collect(), after.iter().collect());
        for (at, gone) in before.iter().enumerate().filter(|(_, place)| !new.contains(place)) {
            self.always.remove(gone);
            self.went += usize::from(at < self.offset);
        }
        let fresh = after.iter().enumerate().filter(|(_, place)| !old.contains(place));
        self.came += fresh.filter(|(at, _)| *at < self.offset).count();
    }

    pub(super) fn took(&mut self, page: Vec<P>, total: i64) {
        assert!(page.is_sorted(), "a page is in order");
        self.offset += self.limit;
        self.seen.extend(page);
        self.at_end = self.offset as i64 >= total;
    }

    /// Checks at the end that every row that existed all the time was seen once, except those that were shifted across
    /// the border of two pages, which paging by offset cannot avoid.
    pub(super) fn restart_if_ended(&mut self, list: &[P], limit: usize) {
        if !self.at_end {
            return;
        }
        let once: BTreeSet<_> = self.seen.iter().cloned().collect();
        let lost: Vec<_> = self.always.difference(&once).collect();
        assert!(lost.len() <= self.went, "lost, where {} went: {lost:?}", self.went);
        let seen = self.seen.iter().filter(|place| self.always.contains(place)).count();
        let repeated = seen + lost.len() - self.always.len();
        assert!(repeated <= self.came, "{repeated} came twice, where {} came", self.came);
        *self = Self {
            ended: self.ended + 1,
            ..Self::start(list, limit)
        };
    }
}

/// Paging by cursor.
pub(super) struct CursorWalk {
    pub(super) cursor: Option<String>,
    /// Last row that it saw.
    pub(super) last: Option<Uuid>,
    seen: Vec<Uuid>,
    /// Rows that exist all the time.
    always: BTreeSet<Uuid>,
    at_end: bool,
    /// Number of completed walks.
    pub(super) ended: u32,
}

impl CursorWalk {
    pub(super) fn start(list: &[Uuid]) -> Self {
        Self {
            cursor: None,
            last: None,
            seen: Vec::new(),
            always: list.iter().copied().collect(),
            at_end: false,
            ended: 0,
        }
    }

    /// Updates the walk after a change of the list.
    pub(super) fn changed(&mut self, after: &[Uuid]) {
        self.always.retain(|id| after.contains(id));
    }

    pub(super) fn took(&mut self, page: impl Iterator<Item = Uuid>, cursor: Option<String>) {
        self.seen.extend(page);
        self.last = self.seen.last().copied();
        self.at_end = cursor.is_none();
        self.cursor = cursor;
    }

    /// Checks at the end that every row that existed all the time was seen, and none twice, whatever changed.
    pub(super) fn restart_if_ended(&mut self, list: &[Uuid]) {
        if !self.at_end {
            return;
        }
        assert!(
            self.seen.is_sorted_by(|one, next| one < next),
            "in order, and none twice"
        );
        assert!(self.always.iter().all(|id| self.seen.contains(id)), "none is lost");
        *self = Self {
            ended: self.ended + 1,
            ..Self::start(list)
        };
    }
}
