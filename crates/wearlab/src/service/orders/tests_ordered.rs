//! Which lab tests and markers an order is of.

use wearlab_models::{LabTest, Marker, OrderSet, Uuid, Violation};
use wearlab_store::{StoreError, TeamStore};

/// What was ordered, as the catalogue has it.
pub(super) struct TestsOrdered {
    /// The lab tests with their markers.
    pub(super) tests: Vec<LabTest>,
    /// Markers in addition to theirs.
    pub(super) add_on: Vec<Marker>,
}

impl TestsOrdered {
    /// Reads what an order set names, as a lab account sees it. What is wrong with it is added to the violations; `at` is
    /// where the ids of the tests stand in the request.
    pub(super) async fn read(
        team: TeamStore<'_>,
        set: &OrderSet,
        account: Option<Uuid>,
        at: &impl Fn(usize) -> String,
        violations: &mut Vec<Violation>,
    ) -> Result<Self, StoreError> {
        let mut tests: Vec<LabTest> = Vec::new();
        for (index, id) in set.lab_test_ids.iter().flatten().enumerate() {
            let found = team.lab_test(id, account).await?;
            let wrong = match &found {
                None => Some(("unknown", "is no lab test, or none that the lab account has")),
                Some(test) if !test.is_active => Some(("inactive", "is a lab test that cannot be ordered now")),
                Some(test) if tests.iter().any(|other| other.id == test.id) => {
                    Some(("repeated", "is in the list before"))
                }
                Some(test) if !tests.iter().all(|other| is_together(other, test)) => Some((
                    "incompatible",
                    "has another lab or collection method than the tests before it",
                )),
                Some(_) => None,
            };
            match wrong {
                Some((code, message)) => violations.push(at_location(at(index), code, message)),
                None => tests.extend(found),
            }
        }
        let add_on = Self::add_on(team, set, &tests, violations).await?;
        Ok(Self { tests, add_on })
    }

    async fn add_on(
        team: TeamStore<'_>,
        set: &OrderSet,
        tests: &[LabTest],
        violations: &mut Vec<Violation>,
    ) -> Result<Vec<Marker>, StoreError> {
        let Some(add_on) = &set.add_on else {
            return Ok(Vec::new());
        };
        let ids = add_on.marker_ids.as_deref().unwrap_or_default();
        let provider_ids = add_on.provider_ids.as_deref().unwrap_or_default();
        // Without a test, that is what is wrong.
        let Some(lab_id) = tests.first().and_then(lab_of) else {
            return Ok(Vec::new());
        };
        let found = team.markers_of(ids, lab_id, provider_ids).await?;
        let mut markers: Vec<Marker> = Vec::new();
        for marker in found.into_iter().filter(|marker| marker.lab_id == lab_id) {
            if !markers.iter().any(|other| other.id == marker.id) {
                markers.push(marker);
            }
        }
        let unknown = |of: &str, index: usize| {
            let location = format!("/body/order_set/add_on/{of}/{index}");
            at_location(location, "unknown", "is no marker of the lab of the tests")
        };
        for (index, id) in ids.iter().enumerate() {
            if !markers.iter().any(|marker| marker.id == *id) {
                violations.push(unknown("marker_ids", index));
            }
        }
        for (index, id) in provider_ids.iter().enumerate() {
            if !markers.iter().any(|marker| marker.provider_id == *id) {
                violations.push(unknown("provider_ids", index));
            }
        }
        Ok(markers)
    }
}

/// Whether one sample does for both tests.
fn is_together(one: &LabTest, other: &LabTest) -> bool {
    lab_of(one) == lab_of(other) && one.method == other.method
}

fn lab_of(test: &LabTest) -> Option<i64> {
    test.lab.as_ref().map(|lab| lab.id)
}

/// A violation at a location of the request.
pub(super) fn at_location(location: impl Into<String>, code: &str, message: &str) -> Violation {
    Violation::builder()
        .location(location)
        .code(code)
        .message(message)
        .build()
}
