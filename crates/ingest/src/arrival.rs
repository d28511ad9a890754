//! What arrives from providers: the lines of an ingestion.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;
use wearlab_models::JsonObject;
use wearlab_models::{ConnectedProvider, ConnectionError, Device, ResourceName};

use crate::exact::push_list;
use crate::orders::{LabOrderUpdated, LabReport};
use crate::{ArrivalSource, DataDeleted, ExactObject};

/// One arrival. As JSON it is an object with one member, whose name says the kind.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Arrival {
    /// Data of one day, or of one chunk of a historical pull.
    Data(DataArrival),
    /// Data were deleted at their provider.
    DataDeleted(DataDeleted),
    /// A user connected a provider.
    ConnectionMade(ConnectionMade),
    /// A connection no longer works.
    ConnectionFailed(ConnectionFailed),
    /// A connection ended: it is no longer there.
    ConnectionEnded(ConnectionEnded),
    /// A device was seen.
    Device(DeviceSeen),
    /// An order of lab tests went a step further.
    LabOrderUpdated(LabOrderUpdated),
    /// A lab reports results of an order.
    LabResult(LabReport),
}

impl Arrival {
    /// The name of the kind in JSON.
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

    /// The team of the user.
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

    /// The user.
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

    /// The sender's id of the arrival, if it has one.
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
/// The same data twice are no news. `Debug` shows no values.
#[derive(Clone, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DataArrival {
    /// The team of the user.
    pub team_id: Uuid,
    /// The user.
    pub user_id: Uuid,
    /// The slug of the provider.
    pub provider: String,
    /// The resource, such as `steps`. Values of `sleep_cycle` are sleep cycles, those of `hypnogram` their stages.
    pub resource: ResourceName,
    /// The day that the data are of. Values of a historical pull that say their own day or time may be of other days.
    pub date: NaiveDate,
    /// Where the provider has them from.
    #[serde(default)]
    pub source: ArrivalSource,
    /// The values. Times in them that have no offset are read in the user's fallback time zone.
    #[schemars(with = "Vec<JsonObject>")]
    pub data: Vec<ExactObject>,
    /// The provider's own payload; not of a historical pull.
    #[serde(default, skip_serializing_if = "ExactObject::is_empty")]
    #[schemars(with = "JsonObject")]
    pub raw: ExactObject,
    /// The historical pull that the data are a chunk of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pull: Option<PullChunk>,
    /// An id of the sender's, the same whenever this arrival is sent again. It is remembered for a week.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrival_id: Option<String>,
}

impl DataArrival {
    /// A SHA-256 hash that two arrivals share if their values are the same, and the provider's own payloads: members in any
    /// order, and numbers of the same value.
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

/// Which part of a historical pull data are. The parts come in any order, and again if need be.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PullChunk {
    /// The id of the pull, of this user, provider and resource.
    pub id: String,
    /// The number of the chunk, from 1.
    pub chunk: u32,
    /// How many chunks the pull has.
    pub chunks: u32,
}

/// A user connected a provider.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConnectionMade {
    /// The team of the user.
    pub team_id: Uuid,
    /// The user.
    pub user_id: Uuid,
    /// The connection, as the list of a user's providers shows it.
    pub provider: ConnectedProvider,
    /// An id of the sender's, the same whenever this arrival is sent again. It is remembered for a week.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrival_id: Option<String>,
}

/// A connection no longer works: its status is `error` from now on.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConnectionFailed {
    /// The team of the user.
    pub team_id: Uuid,
    /// The user.
    pub user_id: Uuid,
    /// The slug of the provider.
    pub provider: String,
    /// What happened.
    pub error_details: ConnectionError,
    /// An id of the sender's, the same whenever this arrival is sent again. It is remembered for a week.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrival_id: Option<String>,
}

/// A connection ended.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConnectionEnded {
    /// The team of the user.
    pub team_id: Uuid,
    /// The user.
    pub user_id: Uuid,
    /// The slug of the provider.
    pub provider: String,
    /// An id of the sender's, the same whenever this arrival is sent again. It is remembered for a week.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrival_id: Option<String>,
}

/// A device was seen.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeviceSeen {
    /// The team of the user.
    pub team_id: Uuid,
    /// The device.
    pub device: Device,
    /// An id of the sender's, the same whenever this arrival is sent again. It is remembered for a week.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrival_id: Option<String>,
}
