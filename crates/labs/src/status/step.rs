//! Step of an order: a row of the table.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::closure::{leads, position};
use super::table::{Row, table};
use super::{CollectionMethod, OrderStatus};

/// Step of an order. Steps of a method are ordered by their position in the table.
///
/// Its text (`Display`, `FromStr`, serde) is `{status}.{method}.{step}`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step {
    method: CollectionMethod,
    position: u8,
}

impl Step {
    /// Finds the step of a method with this name, such as `ordered`. Names are unique within a method.
    pub fn of(method: CollectionMethod, name: &str) -> Option<Self> {
        Some(Self {
            method,
            position: position(method, name)?,
        })
    }

    /// Returns all steps of a method, in the order of the table.
    pub fn all(method: CollectionMethod) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator {
        (0..table(method).rows.len()).map(move |position| Self {
            method,
            position: u8::try_from(position).unwrap_or(u8::MAX),
        })
    }

    /// Returns the first step of an order of this method: `ordered`.
    pub const fn initial(method: CollectionMethod) -> Self {
        Self { method, position: 0 }
    }

    /// Returns its status.
    pub fn status(self) -> OrderStatus {
        self.row().status
    }

    /// Returns its method.
    pub const fn method(self) -> CollectionMethod {
        self.method
    }

    /// Returns its name without status and method, such as `ordered`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns its position in the table of its method, from 0, by which steps of the same time are sorted.
    pub const fn position(self) -> u8 {
        self.position
    }

    /// Returns whether it is final.
    pub fn is_final(self) -> bool {
        self.row().next.is_empty()
    }

    /// Returns whether it may follow `before` in a history: steps between them may not have been reported.
    pub fn can_follow(self, before: Self) -> bool {
        self.method == before.method && leads(self.method, before.position, self.position)
    }

    /// Returns the steps that may directly follow.
    pub fn next(self) -> impl Iterator<Item = Self> {
        let named = move |name: &&str| Self::of(self.method, name);
        self.row().next.iter().filter_map(named)
    }

    /// Returns the steps that may follow it in a history, in the order of the table.
    pub fn allowed_after(self) -> Vec<Self> {
        Self::all(self.method).filter(|step| step.can_follow(self)).collect()
    }

    /// Returns the usual walk of an order of this method, from `ordered` to `completed`.
    ///
    /// It passes every status of a walk without problems. The methods with a draw reach `sample_with_lab` by
    /// `partial_results`: they have no step for a sample that arrived at the lab.
    pub fn happy_path(method: CollectionMethod) -> Vec<Self> {
        let named = |name: &&str| Self::of(method, name);
        table(method).usual.iter().filter_map(named).collect()
    }

    /// Returns the step that a simulation takes next: that of the happy path, or the way back to it. None after a final
    /// step.
    pub fn simulated_next(self) -> Option<Self> {
        let path = Self::happy_path(self.method);
        match path.iter().position(|step| *step == self) {
            Some(at) => path.get(at + 1).copied(),
            None => self.next().find(|step| path.contains(step)),
        }
    }

    /// Returns whether the team may cancel an order whose last step this is: the table allows `cancelled` after it, and
    /// the lab does not have the sample (`received` and `collecting_sample`).
    ///
    /// A lab may still report `cancelled` when it has the sample.
    pub fn can_cancel(self) -> bool {
        matches!(self.status(), OrderStatus::Received | OrderStatus::CollectingSample)
            && Self::cancelled(self.method).can_follow(self)
    }

    /// Returns the step that a cancellation by the team adds to the history of an order of this method.
    pub fn cancelled(method: CollectionMethod) -> Self {
        Self::of(method, "cancelled").unwrap_or(Self::initial(method))
    }

    /// Returns the step that results add: `partial_results`, or `completed` if all are reported.
    pub fn of_results(method: CollectionMethod, partial: bool) -> Self {
        let name = if partial { "partial_results" } else { "completed" };
        Self::of(method, name).unwrap_or(Self::initial(method))
    }

    fn row(self) -> &'static Row {
        &table(self.method).rows[usize::from(self.position)]
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.status(), self.method, self.name())
    }
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Step {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}
