//! Ways through a list, page by page: what they have seen, and what they must see.

use std::collections::BTreeSet;
use std::fmt::Debug;

use wearlab_models::Uuid;

/// A way by offset or by page. Each place is that of one row, in the order of the list.
pub(super) struct OffsetWalk<P> {
    offset: usize,
    limit: usize,
    seen: Vec<P>,
    /// The rows that were there all the time, where they were when it began.
    always: BTreeSet<P>,
    /// How many rows came and went among those that it has passed: by as many is it pushed back or forth.
    came: usize,
    went: usize,
    at_end: bool,
    /// How many ways came to their end.
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

    /// The offset and the limit of the next page.
    pub(super) fn next(&self) -> (usize, usize) {
        (self.offset, self.limit)
    }

    /// The list has changed.
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

    /// At the end, every row that was there all the time was seen once: but for those that others pushed across the
    /// border between two pages, which paging by offset cannot help.
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

/// A way by cursor.
pub(super) struct CursorWalk {
    pub(super) cursor: Option<String>,
    /// The last row that it saw.
    pub(super) last: Option<Uuid>,
    seen: Vec<Uuid>,
    /// The rows that were there all the time.
    always: BTreeSet<Uuid>,
    at_end: bool,
    /// How many ways came to their end.
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

    /// The list has changed.
    pub(super) fn changed(&mut self, after: &[Uuid]) {
        self.always.retain(|id| after.contains(id));
    }

    pub(super) fn took(&mut self, page: impl Iterator<Item = Uuid>, cursor: Option<String>) {
        self.seen.extend(page);
        self.last = self.seen.last().copied();
        self.at_end = cursor.is_none();
        self.cursor = cursor;
    }

    /// At the end, every row that was there all the time was seen, and none twice, whatever came and went.
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
