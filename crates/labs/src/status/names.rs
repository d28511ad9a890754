//! Statuses of orders and methods of collection, with their names.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Status of an order: that of its last step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OrderStatus {
    /// The lab network has the order.
    Received,
    /// The sample is still to be taken, or on its way.
    CollectingSample,
    /// The lab has the sample.
    SampleWithLab,
    /// The order has all results.
    Completed,
    /// Ended by a person.
    Cancelled,
    /// Ended by an error.
    Failed,
}

impl OrderStatus {
    /// All statuses, in the order of the table.
    pub const ALL: [Self; 6] = [
        Self::Received,
        Self::CollectingSample,
        Self::SampleWithLab,
        Self::Completed,
        Self::Cancelled,
        Self::Failed,
    ];

    /// Returns its name, such as `collecting_sample`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Received => "received",
            Self::CollectingSample => "collecting_sample",
            Self::SampleWithLab => "sample_with_lab",
            Self::Completed => "completed",
            Self::Cancelled => "cancelled",
            Self::Failed => "failed",
        }
    }

    /// Returns the status with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == name)
    }

    /// Returns whether it is final: completed, cancelled, failed.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Cancelled | Self::Failed)
    }
}

impl fmt::Display for OrderStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Method by which the sample of an order is collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CollectionMethod {
    /// Collected by the user, with a kit that is sent there and back.
    Testkit,
    /// Collected at a site of the lab.
    WalkInTest,
    /// Collected by a phlebotomist who comes to the user.
    AtHomePhlebotomy,
    /// Collected by the team, at its own site.
    OnSiteCollection,
}

impl CollectionMethod {
    /// All methods.
    pub const ALL: [Self; 4] = [
        Self::Testkit,
        Self::WalkInTest,
        Self::AtHomePhlebotomy,
        Self::OnSiteCollection,
    ];

    /// Returns its name, such as `walk_in_test`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Testkit => "testkit",
            Self::WalkInTest => "walk_in_test",
            Self::AtHomePhlebotomy => "at_home_phlebotomy",
            Self::OnSiteCollection => "on_site_collection",
        }
    }

    /// Returns the method with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.as_str() == name)
    }
}

impl fmt::Display for CollectionMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
