//! Filters and orders of lists of lab tests.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};
use wearlab_models::{Encoded, LabTest, Marker, OrderDirection, Uuid};
use wearlab_server::ApiError;
use wearlab_store::{StoreError, TeamStore};

use super::store_error;

/// Page size, in lab tests.
const PART: usize = 100;

/// Filters of a list, and its order.
#[derive(Serialize)]
pub(super) struct LabTestQuery {
    pub(super) generation: Option<String>,
    pub(super) lab_slug: Option<String>,
    pub(super) method: Option<String>,
    pub(super) status: Option<String>,
    pub(super) marker_ids: Vec<i64>,
    pub(super) provider_ids: Vec<String>,
    pub(super) name: Option<String>,
    pub(super) by_price: bool,
    pub(super) direction: OrderDirection,
}

/// Creates the query of the input of an operation.
macro_rules! query {
    ($input:expr) => {{
        fn text(value: impl AsRef<str>) -> String {
            value.as_ref().to_owned()
        }
        LabTestQuery {
            generation: $input.generation_method.as_ref().map(|value| text(value.as_str())),
            lab_slug: $input.lab_slug.clone(),
            method: $input.collection_method.as_ref().map(|value| text(value.as_str())),
            status: $input.status.as_ref().map(|value| text(value.as_str())),
            marker_ids: $input.marker_ids.clone(),
            provider_ids: $input.provider_ids.clone(),
            name: $input.name.clone(),
            by_price: $input.order_key.is_some(),
            direction: $input.order_direction.clone(),
        }
    }};
}

pub(super) use query;

/// Position of a lab test in a list.
#[derive(Serialize, Deserialize)]
pub(super) struct Position {
    price: f64,
    id: String,
}

impl LabTestQuery {
    /// Returns true for all lab tests in the order of their ids.
    pub(super) fn is_plain(&self) -> bool {
        let filters = [&self.generation, &self.lab_slug, &self.method, &self.status, &self.name];
        filters.iter().all(|filter| filter.is_none())
            && self.marker_ids.is_empty()
            && self.provider_ids.is_empty()
            && !self.by_price
            && self.direction == OrderDirection::Asc
    }

    /// Returns the lab tests that match, in order. None if the team has no such account.
    pub(super) async fn find(
        &self,
        team: TeamStore<'_>,
        account: Option<Uuid>,
    ) -> Result<Option<Vec<(Position, Encoded<LabTest>)>>, ApiError> {
        let (mut found, mut after) = (Vec::new(), None::<String>);
        loop {
            let page = team.lab_tests(account, after.as_deref(), PART).await;
            let Some(page) = page.map_err(store_error)? else {
                return Ok(None);
            };
            for text in page.lab_tests {
                let test: LabTest = serde_json::from_slice(text.as_bytes()).map_err(ApiError::internal)?;
                if self.passes(&test) && self.has_markers(&team, &test.id, account).await.map_err(store_error)? {
                    let position = Position {
                        price: test.price,
                        id: test.id,
                    };
                    found.push((position, text));
                }
            }
            after = page.next;
            if after.is_none() {
                found.sort_by(|(a, _), (b, _)| self.compare(a, b));
                return Ok(Some(found));
            }
        }
    }

    /// Returns true if a position comes after another one.
    pub(super) fn is_after(&self, position: &Position, other: &Position) -> bool {
        self.compare(position, other) == Ordering::Greater
    }

    fn compare(&self, a: &Position, b: &Position) -> Ordering {
        let by_price = match self.by_price {
            true => a.price.total_cmp(&b.price),
            false => Ordering::Equal,
        };
        let order = by_price.then_with(|| a.id.cmp(&b.id));
        match self.direction == OrderDirection::Desc {
            false => order,
            true => order.reverse(),
        }
    }

    fn passes(&self, test: &LabTest) -> bool {
        let is =
            |wanted: &Option<String>, found: Option<&str>| wanted.as_deref().is_none_or(|wanted| found == Some(wanted));
        // The service itself creates none.
        let by_generation = matches!(self.generation.as_deref(), None | Some("manual" | "all"));
        let name = test.name.to_lowercase();
        by_generation
            && is(&self.lab_slug, test.lab.as_ref().map(|lab| lab.slug.as_str()))
            && is(&self.method, Some(test.method.as_str()))
            && is(&self.status, Some(test.status.as_str()))
            && (self.name.as_ref()).is_none_or(|wanted| name.contains(&wanted.to_lowercase()))
    }

    /// Returns true if a lab test has all of the requested markers.
    async fn has_markers(&self, team: &TeamStore<'_>, id: &str, account: Option<Uuid>) -> Result<bool, StoreError> {
        if self.marker_ids.is_empty() && self.provider_ids.is_empty() {
            return Ok(true);
        }
        let test = team.lab_test(id, account).await?;
        let markers: Vec<Marker> = test.and_then(|test| test.markers).unwrap_or_default();
        let has_id = |id: &i64| markers.iter().any(|marker| marker.id == *id);
        let has_provider_id = |id: &String| markers.iter().any(|marker| marker.provider_id == *id);
        Ok(self.marker_ids.iter().all(has_id) && self.provider_ids.iter().all(has_provider_id))
    }
}
