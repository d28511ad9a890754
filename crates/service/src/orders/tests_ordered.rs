//! Lab tests and markers of an order.

use wearlab_models::{LabTest, Marker, Order, OrderSet, Uuid, Violation};
use wearlab_store::{StoreError, TeamStore};

/// Lab tests and markers of an order set, as the catalogue has them now.
pub(super) struct TestsOrdered {
    /// Lab tests with their markers, in the order of the set. None for an unknown test.
    named: Vec<Option<LabTest>>,
    /// Additional markers, of the same lab.
    pub(super) add_on: Vec<Marker>,
}

impl TestsOrdered {
    /// Reads an order set, as a lab account sees it.
    pub(super) async fn read(team: TeamStore<'_>, set: &OrderSet, account: Option<Uuid>) -> Result<Self, StoreError> {
        let mut named = Vec::new();
        for id in set.lab_test_ids.iter().flatten() {
            named.push(team.lab_test(id, account).await?);
        }
        let lab_id = named.iter().flatten().find_map(lab_of);
        let add_on = match (&set.add_on, lab_id) {
            (Some(add_on), Some(lab_id)) => {
                let ids = add_on.marker_ids.as_deref().unwrap_or_default();
                let provider_ids = add_on.provider_ids.as_deref().unwrap_or_default();
                team.markers_of(account, lab_id, (ids, provider_ids)).await?
            }
            _ => Vec::new(),
        };
        Ok(Self { named, add_on })
    }

    /// Reads the tests of an order, as the catalogue has them now.
    pub(super) async fn of(team: TeamStore<'_>, order: &Order) -> Result<Self, StoreError> {
        let only = || {
            let id = order.lab_test.id.clone();
            OrderSet::builder().lab_test_ids(vec![id]).build()
        };
        let set = order.order_set.clone().unwrap_or_else(only);
        let mut ordered = Self::read(team, &set, order.lab_account_id).await?;
        // The order itself describes a test that was removed from the catalogue.
        if ordered.tests().next().is_none() {
            ordered.named.push(Some(order.lab_test.clone()));
        }
        Ok(ordered)
    }

    /// Returns the lab tests.
    pub(super) fn tests(&self) -> impl Iterator<Item = &LabTest> {
        self.named.iter().flatten()
    }

    /// Returns the markers of the lab tests, and the additional ones, each once and by id.
    pub(super) fn markers(&self) -> Vec<&Marker> {
        let of_tests = self.tests().flat_map(|test| test.markers.iter().flatten());
        let mut markers: Vec<_> = of_tests.chain(&self.add_on).collect();
        markers.sort_by_key(|marker| marker.id);
        markers.dedup_by_key(|marker| marker.id);
        markers
    }

    /// Adds the reasons why the tests and markers cannot be ordered. `at` returns the location of a test's id in the
    /// request.
    pub(super) fn check(&self, set: &OrderSet, at: impl Fn(usize) -> String, violations: &mut Vec<Violation>) {
        for (index, test) in self.named.iter().enumerate() {
            let before = || self.named[..index].iter().flatten();
            let (code, message) = match test {
                None => ("unknown", "is no lab test, or none that the lab account has"),
                Some(test) if !test.is_active => ("inactive", "is a lab test that cannot be ordered now"),
                Some(test) if before().any(|other| other.id == test.id) => ("repeated", "is in the list before"),
                Some(test) if !before().all(|other| is_together(other, test)) => (
                    "incompatible",
                    "has another lab or collection method than the tests before it",
                ),
                Some(_) => continue,
            };
            violations.push(at_location(at(index), code, message));
        }
        // A missing test is the only violation: it decides the lab of the markers.
        let add_on = set.add_on.as_ref().filter(|_| self.tests().next().is_some());
        let Some(add_on) = add_on else { return };
        let mut unknown = |of: &str, index: usize, is_known: bool| {
            if !is_known {
                let location = format!("/body/order_set/add_on/{of}/{index}");
                let message = "is no marker of the lab of the tests";
                violations.push(at_location(location, "unknown", message));
            }
        };
        for (index, id) in add_on.marker_ids.iter().flatten().enumerate() {
            unknown("marker_ids", index, self.add_on.iter().any(|marker| marker.id == *id));
        }
        for (index, id) in add_on.provider_ids.iter().flatten().enumerate() {
            let is_known = self.add_on.iter().any(|marker| marker.provider_id == *id);
            unknown("provider_ids", index, is_known);
        }
    }
}

/// Returns true if one sample is enough for both tests.
fn is_together(one: &LabTest, other: &LabTest) -> bool {
    lab_of(one) == lab_of(other) && one.method == other.method
}

fn lab_of(test: &LabTest) -> Option<i64> {
    test.lab.as_ref().map(|lab| lab.id)
}

/// Creates a violation at a location of the request.
pub(super) fn at_location(location: impl Into<String>, code: &str, message: &str) -> Violation {
    Violation::builder()
        .location(location)
        .code(code)
        .message(message)
        .build()
}
