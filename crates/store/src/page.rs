//! Pages of lists, and filters of lists.

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
    /// The number of visible markers, over all pages.
    pub total: i64,
}

/// One page of lab tests, without their markers.
#[derive(Clone, Debug)]
pub struct LabTestPage {
    /// The lab tests of this page, by id.
    pub lab_tests: Vec<Encoded<LabTest>>,
    /// The id after which the next page begins. None on the last page.
    pub next: Option<String>,
}

/// Filter of orders. All bounds are inclusive.
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
    /// Only those in one of these statuses. Empty for any.
    pub statuses: Vec<String>,
    /// Only those of this user.
    pub user_id: Option<Uuid>,
    /// Only these. Empty for any.
    pub order_ids: Vec<Uuid>,
    /// True if the oldest comes first.
    pub oldest_first: bool,
}

/// Location of an order in the store, with its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderPlace {
    pub(crate) row: i64,
    /// Detects that the row belongs to another order by the time of the read.
    pub(crate) order_id: Uuid,
    /// Stored size in bytes.
    pub bytes: u64,
}

/// Orders of a page, or their locations.
#[derive(Clone, Debug)]
pub enum OrderRows {
    /// The orders.
    Whole(Vec<Encoded<Order>>),
    /// Their locations, if the orders exceed the requested size: [`some_orders`](crate::TeamStore::some_orders) reads
    /// some of them.
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

/// Filter of pipelines.
#[derive(Clone, Copy, Debug, Default)]
pub struct PipelineFilter {
    /// Only the pipeline of this team.
    pub team_id: Option<Uuid>,
    /// Only pipelines that come after this team's.
    pub after: Option<Uuid>,
}

/// One page of pipelines.
///
/// They are decoded, with their secrets: mask these before you show them.
#[derive(Clone, Debug)]
pub struct PipelinePage {
    /// The pipelines of this page.
    pub pipelines: Vec<Pipeline>,
    /// Value of [`PipelineFilter::after`] for the next page. None on the last page.
    pub next: Option<Uuid>,
}

/// One page of teams.
#[derive(Clone, Debug)]
pub struct TeamPage {
    /// The teams of this page.
    pub teams: Vec<TeamRecord>,
    /// The team after which the next page begins. None on the last page.
    pub next: Option<Uuid>,
}

/// Filter of keys.
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
    /// Value of [`KeyFilter::after`] for the next page. None on the last page.
    pub next: Option<String>,
}

/// One page of the webhook endpoints of a team, with their secrets.
#[derive(Clone, Debug)]
pub struct WebhookPage {
    /// The endpoints of this page.
    pub webhooks: Vec<WebhookEndpoint>,
    /// The id after which the next page begins. None on the last page.
    pub next: Option<String>,
}

/// Filter of users for introspection.
#[derive(Clone, Debug, Default)]
pub struct IntrospectionFilter<'a> {
    /// Only this user.
    pub user_id: Option<Uuid>,
    /// Only this provider.
    pub provider: Option<&'a str>,
    /// Only users after a position.
    pub after: Option<UserPosition>,
}

/// One page of users with the sync status of their data.
#[derive(Clone, Debug)]
pub struct IntrospectionPage<T> {
    /// The users of this page.
    pub users: Vec<T>,
    /// Value of [`IntrospectionFilter::after`] for the next page. None on the last page.
    pub next: Option<UserPosition>,
}

/// Position in the order of users: after one of them, which may be deleted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct UserPosition {
    pub(crate) created_on: i64,
    pub(crate) user_id: Uuid,
}
