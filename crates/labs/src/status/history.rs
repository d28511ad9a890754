//! History of an order: its steps by time, in whatever order they were reported.

use chrono::{DateTime, Utc};

use super::{CollectionMethod, OrderStatus, Refusal, Step};

/// Step that an order took at a time, with a detail of the caller, such as an id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry<T> {
    /// Time of the step.
    pub created_at: DateTime<Utc>,
    /// Step of the order.
    pub step: Step,
    /// Value that the caller keeps with it.
    pub detail: T,
}

impl<T> Entry<T> {
    fn key(&self) -> (DateTime<Utc>, Step) {
        (self.created_at, self.step)
    }
}

/// Steps of an order, sorted by their time, and at the same time by their position in the table.
///
/// Each step can follow the one before it. Reports of one walk give the same history, whatever order they come in, and
/// however often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History<T> {
    method: CollectionMethod,
    entries: Vec<Entry<T>>,
}

/// Effect of an accepted report on a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inserted {
    /// True if it is a new step.
    pub change: Change,
    /// Position in the history, from 0.
    pub index: usize,
    /// True if it is a new last step; the same one at a later time counts (an appointment scheduled again).
    pub last_step_changed: bool,
    /// True if the order has another status now.
    pub status_changed: bool,
}

/// Change of a history by a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A new step.
    Added,
    /// A step that was already reported for this time: its detail was replaced.
    Corrected,
}

impl<T> History<T> {
    /// Creates the history of an order without reports. The first reported step may be any of the method.
    pub const fn new(method: CollectionMethod) -> Self {
        Self {
            method,
            entries: Vec::new(),
        }
    }

    /// Restores the history of a stored order, whose entries were accepted once: they are sorted, and not checked
    /// again.
    pub fn restore(method: CollectionMethod, entries: impl IntoIterator<Item = Entry<T>>) -> Self {
        let mut entries: Vec<_> = entries.into_iter().collect();
        entries.sort_by_key(Entry::key);
        Self { method, entries }
    }

    /// Adds a report.
    ///
    /// A report of an existing step and time replaces its detail. Any other is accepted if it can follow the step
    /// before it in time, and the one after it can follow it.
    ///
    /// # Errors
    /// If the table does not allow the step there; nothing changes.
    pub fn insert(&mut self, entry: Entry<T>) -> Result<Inserted, Refusal> {
        let step = entry.step;
        if step.method() != self.method {
            return Err(Refusal::Method {
                step,
                method: self.method,
            });
        }
        let index = match self.entries.binary_search_by_key(&entry.key(), Entry::key) {
            Ok(index) => {
                self.entries[index] = entry;
                return Ok(Inserted {
                    change: Change::Corrected,
                    index,
                    last_step_changed: false,
                    status_changed: false,
                });
            }
            Err(index) => index,
        };
        let before = index.checked_sub(1).map(|before| self.entries[before].step);
        let after = self.entries.get(index).map(|entry| entry.step);
        let allowed = |step: &Step| {
            before.is_none_or(|before| step.can_follow(before)) && after.is_none_or(|after| after.can_follow(*step))
        };
        if !allowed(&step) {
            return Err(Refusal::Transition {
                step,
                before,
                after,
                allowed: Step::all(self.method).filter(allowed).collect(),
            });
        }
        let status = self.status();
        self.entries.insert(index, entry);
        Ok(Inserted {
            change: Change::Added,
            index,
            last_step_changed: index + 1 == self.entries.len(),
            status_changed: self.status() != status,
        })
    }

    /// Returns the method of the order.
    pub const fn method(&self) -> CollectionMethod {
        self.method
    }

    /// Returns the entries, the first step first.
    pub fn entries(&self) -> &[Entry<T>] {
        &self.entries
    }

    /// Returns the entries, the first step first.
    pub fn into_entries(self) -> Vec<Entry<T>> {
        self.entries
    }

    /// Returns the last entry.
    pub fn last(&self) -> Option<&Entry<T>> {
        self.entries.last()
    }

    /// Returns the last step.
    pub fn last_step(&self) -> Option<Step> {
        self.last().map(|entry| entry.step)
    }

    /// Returns the status of the order: that of its last step.
    pub fn status(&self) -> Option<OrderStatus> {
        self.last_step().map(Step::status)
    }

    /// Returns whether the team may cancel the order now ([`Step::can_cancel`]).
    pub fn can_cancel(&self) -> bool {
        self.last_step().is_none_or(Step::can_cancel)
    }

    /// Returns the step that a simulation takes next ([`Step::simulated_next`]): the first one of an order without any.
    pub fn simulated_next(&self) -> Option<Step> {
        self.last_step()
            .map_or(Some(Step::initial(self.method)), Step::simulated_next)
    }
}
