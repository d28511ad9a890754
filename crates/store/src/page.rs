//! One page of a longer list, and what narrows a list.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use wearlab_models::{Encoded, LabTest, Marker, Order, Pipeline, User};

use crate::{KeyInfo, TeamRecord, WebhookEndpoint};

/// One page of users.
#[derive(Clone, Debug, Default)]
pub struct UserPage {
    /// The users of this page.
    pub users: Vec<Encoded<User>>,
    /// The number of users of the team, over all pages.
    pub total: i64,
}

/// One page of markers.
#[derive(Clone, Debug)]
pub struct MarkerPage {
    /// The markers of this page.
    pub markers: Vec<Encoded<Marker>>,
    /// The number of markers that may be seen, over all pages.
    pub total: i64,
}

/// One page of lab tests, without their markers.
#[derive(Clone, Debug)]
pub struct LabTestPage {
    /// The lab tests of this page, by id.
    pub lab_tests: Vec<Encoded<LabTest>>,
    /// The id that the next page comes after, or nothing on the last page.
    pub next: Option<String>,
}

/// Which orders to list. All bounds are inclusive.
#[derive(Clone, Debug, Default)]
pub struct OrderFilter {
    /// Only those created then or later.
    pub created_from: Option<DateTime<Utc>>,
    /// Only those created then or earlier.
    pub created_to: Option<DateTime<Utc>>,
    /// Only those that changed then or later.
    pub updated_from: Option<DateTime<Utc>>,
    /// Only those that last changed then or earlier.
    pub updated_to: Option<DateTime<Utc>>,
    /// Only those in one of these statuses; in any, where there are none.
    pub statuses: Vec<String>,
    /// Only those of this user.
    pub user_id: Option<Uuid>,
    /// Only these; any, where there are none.
    pub order_ids: Vec<Uuid>,
    /// True if the oldest comes first.
    pub oldest_first: bool,
}

/// The place of an order in the store, and how long it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderPlace {
    pub(crate) row: i64,
    /// The row may be another order's by the time that it is read.
    pub(crate) order_id: Uuid,
    /// The bytes that are kept of it.
    pub bytes: u64,
}

/// Orders in an order.
#[derive(Clone, Debug)]
pub enum OrderRows {
    /// The orders.
    Whole(Vec<Encoded<Order>>),
    /// Their places, where they are longer together than was asked for: [`some_orders`](crate::TeamStore::some_orders)
    /// reads some of them.
    Places(Vec<OrderPlace>),
}

impl Default for OrderRows {
    fn default() -> Self {
        Self::Whole(Vec::new())
    }
}

/// One page of orders.
#[derive(Clone, Debug, Default)]
pub struct OrderPage {
    /// The orders of this page.
    pub orders: OrderRows,
    /// The number of orders that pass the filter, over all pages.
    pub total: i64,
}

/// Which pipelines to list.
#[derive(Clone, Copy, Debug, Default)]
pub struct PipelineFilter {
    /// Only the pipeline of this team.
    pub team_id: Option<Uuid>,
    /// Only pipelines that come after this team's.
    pub after: Option<Uuid>,
}

/// One page of pipelines.
///
/// They are decoded, with their secrets: whoever shows them masks these first.
#[derive(Clone, Debug)]
pub struct PipelinePage {
    /// The pipelines of this page.
    pub pipelines: Vec<Pipeline>,
    /// What [`PipelineFilter::after`] says for the next page, or nothing on the last page.
    pub next: Option<Uuid>,
}

/// One page of teams.
#[derive(Clone, Debug)]
pub struct TeamPage {
    /// The teams of this page.
    pub teams: Vec<TeamRecord>,
    /// The team that the next page comes after, or nothing on the last page.
    pub next: Option<Uuid>,
}

/// Which keys to list.
#[derive(Clone, Debug, Default)]
pub struct KeyFilter {
    /// Only keys of this team.
    pub team_id: Option<Uuid>,
    /// Only keys that come after the one with this [id](KeyInfo::id).
    pub after: Option<String>,
}

/// One page of keys.
#[derive(Clone, Debug)]
pub struct KeyPage {
    /// The keys of this page.
    pub keys: Vec<KeyInfo>,
    /// What [`KeyFilter::after`] says for the next page, or nothing on the last page.
    pub next: Option<String>,
}

/// One page of the endpoints of webhooks of a team, with their secrets.
#[derive(Clone, Debug)]
pub struct WebhookPage {
    /// The endpoints of this page.
    pub webhooks: Vec<WebhookEndpoint>,
    /// The id that the next page comes after, or nothing on the last page.
    pub next: Option<String>,
}

/// Of which users, and from which provider, to list what came of their data.
#[derive(Clone, Debug, Default)]
pub struct IntrospectionFilter<'a> {
    /// Only this user.
    pub user_id: Option<Uuid>,
    /// Only this provider.
    pub provider: Option<&'a str>,
    /// Only users behind a position.
    pub after: Option<UserPosition>,
}

/// One page of users with what came of their data.
#[derive(Clone, Debug)]
pub struct IntrospectionPage<T> {
    /// The users of this page.
    pub users: Vec<T>,
    /// What [`IntrospectionFilter::after`] says for the next page, or nothing on the last page.
    pub next: Option<UserPosition>,
}

/// A place in the order of users: behind one of them, whether they are still there or not.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct UserPosition {
    pub(crate) created_on: i64,
    pub(crate) user_id: Uuid,
}
