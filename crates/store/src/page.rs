//! One page of a longer list, and what narrows a list.

use uuid::Uuid;
use wearlab_models::{Encoded, Marker, Pipeline, User};

/// One page of users.
#[derive(Clone, Debug)]
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
