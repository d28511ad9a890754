//! Arrivals from providers: the lines of an ingestion.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;
use wearlab_models::JsonObject;
use wearlab_models::{ConnectedProvider, ConnectionError, Device, ResourceName};

use crate::exact::push_list;
use crate::orders::{LabOrderUpdated, LabReport};
use crate::{ArrivalSource, DataDeleted, ExactObject};

/// Arrival from a provider. As JSON it is an object with one member, whose name is the kind.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Arrival {
    /// Data of one day, or of one chunk of a historical pull.
    Data(DataArrival),
    /// Data that were deleted at their provider.
    DataDeleted(DataDeleted),
    /// Connection that a user made with a provider.
    ConnectionMade(ConnectionMade),
    /// Connection that no longer works.
    ConnectionFailed(ConnectionFailed),
    /// Connection that ended, and is deleted.
    ConnectionEnded(ConnectionEnded),
    /// Device of a user.
    Device(DeviceSeen),
    /// Step of an order of lab tests.
    LabOrderUpdated(LabOrderUpdated),
    /// Results of an order, reported by a lab.
    LabResult(LabReport),
}

impl Arrival {
    /// Returns the name of the kind in JSON.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Data(_) => "data",
            Self::DataDeleted(_) => "data_deleted",
            Self::ConnectionMade(_) => "connection_made",
            Self::ConnectionFailed(_) => "connection_failed",
            Self::ConnectionEnded(_) => "connection_ended",
            Self::Device(_) => "device",
            Self::LabOrderUpdated(_) => "lab_order_updated",
            Self::LabResult(_) => "lab_result",
        }
    }

    /// Returns the team of the user.
    pub fn team_id(&self) -> Uuid {
        match self {
            Self::Data(data) => data.team_id,
            Self::DataDeleted(deleted) => deleted.team_id,
            Self::ConnectionMade(made) => made.team_id,
            Self::ConnectionFailed(failed) => failed.team_id,
            Self::ConnectionEnded(ended) => ended.team_id,
            Self::Device(seen) => seen.team_id,
            Self::LabOrderUpdated(updated) => updated.team_id,
            Self::LabResult(report) => report.team_id,
        }
    }

    /// Returns the user.
    pub fn user_id(&self) -> Uuid {
        match self {
            Self::Data(data) => data.user_id,
            Self::DataDeleted(deleted) => deleted.user_id,
            Self::ConnectionMade(made) => made.user_id,
            Self::ConnectionFailed(failed) => failed.user_id,
            Self::ConnectionEnded(ended) => ended.user_id,
            Self::Device(seen) => seen.device.user_id,
            Self::LabOrderUpdated(updated) => updated.user_id,
            Self::LabResult(report) => report.user_id,
        }
    }

    /// Returns the sender's id of the arrival, if it has one.
    pub fn arrival_id(&self) -> Option<&str> {
        let id = match self {
            Self::Data(data) => &data.arrival_id,
            Self::DataDeleted(deleted) => &deleted.arrival_id,
            Self::ConnectionMade(made) => &made.arrival_id,
            Self::ConnectionFailed(failed) => &failed.arrival_id,
            Self::ConnectionEnded(ended) => &ended.arrival_id,
            Self::Device(seen) => &seen.arrival_id,
            Self::LabOrderUpdated(updated) => &updated.arrival_id,
            Self::LabResult(report) => &report.arrival_id,
        };
        id.as_deref()
    }
}

/// Data of one day of one resource, from a provider that the user has connected.
///
/// Repeated data change nothing. `Debug` shows no values.
#[derive(Clone, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DataArrival {
    /// Team of the user.
    pub team_id: Uuid,
    /// User of the data.
    pub user_id: Uuid,
    /// Slug of the provider.
    pub provider: String,
    /// Resource, such as `steps`. Values of `sleep_cycle` are sleep cycles, those of `hypnogram` their stages.
    pub resource: ResourceName,
    /// Day that the data are of. Values of a historical pull that have their own day or time may be of other days.
    pub date: NaiveDate,
    /// Source of the data at the provider.
    #[serde(default)]
    pub source: ArrivalSource,
    /// Values. Times without an offset are in the user's fallback time zone.
    #[schemars(with = "Vec<JsonObject>")]
    pub data: Vec<ExactObject>,
    /// Provider's own payload; not of a historical pull.
    #[serde(default, skip_serializing_if = "ExactObject::is_empty")]
    #[schemars(with = "JsonObject")]
    pub raw: ExactObject,
    /// Historical pull that the data are a chunk of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pull: Option<PullChunk>,
    /// Id that the sender assigned, the same whenever this arrival is sent again. It is stored for a week.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrival_id: Option<String>,
}

impl DataArrival {
    /// Returns a SHA-256 hash that two arrivals share if their values are the same, and the provider's own payloads:
    /// members in any order, and numbers of the same value.
    pub fn values_hash(&self) -> [u8; 32] {
        let mut text = "[".to_owned();
        push_list(&self.data, &mut text, ExactObject::push_canonical);
        text.push(',');
        self.raw.push_canonical(&mut text);
        text.push(']');
        Sha256::digest(text).into()
    }
}

impl std::fmt::Debug for DataArrival {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DataArrival")
            .field("team_id", &self.team_id)
            .field("user_id", &self.user_id)
            .field("provider", &self.provider)
            .field("resource", &self.resource)
            .field("date", &self.date)
            .field("pull", &self.pull)
            .finish_non_exhaustive()
    }
}

/// Part of a historical pull. The parts come in any order, and may be repeated.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PullChunk {
    /// Id of the pull, of this user, provider and resource.
    pub id: String,
    /// Number of the chunk, from 1.
    pub chunk: u32,
    /// Number of chunks of the pull.
    pub chunks: u32,
}

/// Connection that a user made with a provider.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConnectionMade {
    /// Team of the user.
    pub team_id: Uuid,
    /// User of the connection.
    pub user_id: Uuid,
    /// Connection, as the list of a user's providers shows it.
    pub provider: ConnectedProvider,
    /// Id that the sender assigned, the same whenever this arrival is sent again. It is stored for a week.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrival_id: Option<String>,
}

/// Connection that no longer works: its status is `error` from now on.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConnectionFailed {
    /// Team of the user.
    pub team_id: Uuid,
    /// User of the connection.
    pub user_id: Uuid,
    /// Slug of the provider.
    pub provider: String,
    /// Error of the connection.
    pub error_details: ConnectionError,
    /// Id that the sender assigned, the same whenever this arrival is sent again. It is stored for a week.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrival_id: Option<String>,
}

/// Connection that ended.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConnectionEnded {
    /// Team of the user.
    pub team_id: Uuid,
    /// User of the connection.
    pub user_id: Uuid,
    /// Slug of the provider.
    pub provider: String,
    /// Id that the sender assigned, the same whenever this arrival is sent again. It is stored for a week.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrival_id: Option<String>,
}

/// Device of a user.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeviceSeen {
    /// Team of the user.
    pub team_id: Uuid,
    /// Device as reads return it.
    pub device: Device,
    /// Id that the sender assigned, the same whenever this arrival is sent again. It is stored for a week.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrival_id: Option<String>,
}
