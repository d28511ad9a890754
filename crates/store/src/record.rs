//! Records of the store: the lines of an import and of an export.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use wearlab_ingest::orders::ReportedResults;
use wearlab_ingest::{ArrivalSource, DataArrival, ExactObject};
use wearlab_models::{
    CancellationReason, CollectionMethod, ConnectedProvider, Device, Environment, Lab, LabTest, LabTestStatus, Marker,
    OAuthProvider, Order, Pipeline, ProviderSourceType, Region, ResourceName, SampleType, SupportedProvider, User,
};

use crate::KeyRecord;

/// One object of the store in the shape of the API, with fields that the API does not carry.
///
/// In JSON it is an object with one member, whose name is the kind. Referenced objects come before a record.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Record {
    /// An organisation.
    Organisation(OrganisationRecord),
    /// A team of an organisation.
    Team(TeamRecord),
    /// A key of a team, or a management key of an organisation.
    Key(KeyRecord),
    /// A provider of the catalogue.
    Provider(ProviderRecord),
    /// A reason for cancelling an appointment.
    CancellationReason(CancellationReason),
    /// A lab test with all its markers. A marker that several tests have is the same in all of them.
    LabTest(LabTestRecord),
    /// A lab account of a team, with the lab tests and markers that it may see.
    LabAccount(LabAccountRecord),
    /// The pipeline of a team.
    Pipeline(Pipeline),
    /// A user. Their `connected_sources` are ignored: they follow from the connections.
    User(User),
    /// A connection of a user.
    Connection(ConnectionRecord),
    /// A device of a user.
    Device(DeviceRecord),
    /// An order of lab tests of a user, with the reported results.
    Order(Box<OrderRecord>),
    /// Values of a user: summaries, or samples of a time series.
    Values(ValuesRecord),
}

impl Record {
    /// Returns the name of the kind in JSON.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Organisation(_) => "organisation",
            Self::Team(_) => "team",
            Self::Key(_) => "key",
            Self::Provider(_) => "provider",
            Self::CancellationReason(_) => "cancellation_reason",
            Self::LabTest(_) => "lab_test",
            Self::LabAccount(_) => "lab_account",
            Self::Pipeline(_) => "pipeline",
            Self::User(_) => "user",
            Self::Connection(_) => "connection",
            Self::Device(_) => "device",
            Self::Order(_) => "order",
            Self::Values(_) => "values",
        }
    }
}

/// An organisation.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OrganisationRecord {
    /// The id of the organisation.
    pub org_id: String,
}

/// A team with its organisation, environment and region.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TeamRecord {
    /// The id of the team.
    pub team_id: Uuid,
    /// The organisation of the team, which never changes.
    pub org_id: String,
    /// The environment of the team.
    pub environment: Environment,
    /// The region of the team.
    pub region: Region,
}

/// A provider of the catalogue.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ProviderRecord {
    /// Source type, which the filter of the catalogue compares.
    pub source_type: ProviderSourceType,
    /// The provider in the catalogue.
    pub supported: SupportedProvider,
    /// Description for linking, if the provider links by OAuth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<OAuthProvider>,
}

/// A lab test.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LabTestRecord {
    /// The id of the lab test.
    pub lab_test_id: String,
    /// Display name of the lab test.
    pub name: String,
    /// The markers of the lab test.
    pub markers: Vec<Marker>,
    /// Details for lists. A lab test without them is not listed, and cannot be ordered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<LabTestDetails>,
}

/// Details of a lab test in lists.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LabTestDetails {
    /// The identifier of the lab test.
    pub slug: String,
    /// Type of the sample.
    pub sample_type: SampleType,
    /// Method of collection.
    pub method: CollectionMethod,
    /// The price in US dollars.
    pub price: f64,
    /// True if it can be ordered now.
    pub is_active: bool,
    /// Approval status.
    pub status: LabTestStatus,
    /// True if the patient must not eat before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fasting: Option<bool>,
    /// The lab that makes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lab: Option<Lab>,
    /// The usual time until there are results, in days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub common_tat_days: Option<u32>,
    /// The longest time until there are results, in days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst_case_tat_days: Option<u32>,
}

impl LabTestRecord {
    /// Returns the lab test as lists show it, if it is listed.
    pub fn lab_test(&self) -> Option<LabTest> {
        let details = self.details.as_ref()?;
        Some(details.lab_test(&self.lab_test_id, &self.name))
    }
}

impl LabTestDetails {
    /// Returns the lab test of an id and a name, as lists show it.
    fn lab_test(&self, lab_test_id: &str, name: &str) -> LabTest {
        LabTest::builder()
            .id(lab_test_id)
            .slug(&self.slug)
            .name(name)
            .sample_type(self.sample_type.clone())
            .method(self.method.clone())
            .price(self.price)
            .is_active(self.is_active)
            .status(self.status.clone())
            .maybe_fasting(self.fasting)
            .maybe_lab(self.lab.clone())
            .maybe_common_tat_days(self.common_tat_days.map(i64::from))
            .maybe_worst_case_tat_days(self.worst_case_tat_days.map(i64::from))
            .build()
    }

    /// Returns the details of a lab test from a list.
    pub(crate) fn of(test: LabTest) -> Self {
        let days = |days: Option<i64>| days.and_then(|days| u32::try_from(days).ok());
        Self {
            slug: test.slug,
            sample_type: test.sample_type,
            method: test.method,
            price: test.price,
            is_active: test.is_active,
            status: test.status,
            fasting: test.fasting,
            lab: test.lab,
            common_tat_days: days(test.common_tat_days),
            worst_case_tat_days: days(test.worst_case_tat_days),
        }
    }
}

/// A lab account of a team, with the lab tests and markers that it may see.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LabAccountRecord {
    /// The team of the account.
    pub team_id: Uuid,
    /// The id of the account.
    pub lab_account_id: Uuid,
    /// The lab tests that the account may see, each with the ids of the markers of it that it may see.
    pub visible: BTreeMap<String, Vec<i64>>,
}

/// A connection between a user and a provider.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ConnectionRecord {
    /// The team of the user.
    pub team_id: Uuid,
    /// The user.
    pub user_id: Uuid,
    /// The connection, as the list of a user's providers shows it.
    pub provider: ConnectedProvider,
}

/// Values of a user of one resource, source and day, in the form of reads. An import creates no event for them.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ValuesRecord {
    /// The team of the user.
    pub team_id: Uuid,
    /// The user.
    pub user_id: Uuid,
    /// The slug of the provider.
    pub provider: String,
    /// The resource.
    pub resource: ResourceName,
    /// Day of the values. For samples, the day in UTC.
    pub date: NaiveDate,
    /// Source that the provider has the values from.
    #[serde(default)]
    pub source: ArrivalSource,
    /// True if the service derived the ids of these summaries, which are then also found by their sessions and days. If
    /// it is missing, ids of UUID version 5 count as derived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub derived_ids: Option<bool>,
    /// Summaries or samples. `Debug` shows none of them.
    #[cfg_attr(feature = "schemars", schemars(with = "Vec<wearlab_models::JsonObject>"))]
    pub data: Vec<ExactObject>,
}

impl ValuesRecord {
    /// Returns an arrival of the same values.
    pub fn arrival(&self) -> DataArrival {
        DataArrival {
            team_id: self.team_id,
            user_id: self.user_id,
            provider: self.provider.clone(),
            resource: self.resource.clone(),
            date: self.date,
            source: self.source.clone(),
            data: self.data.clone(),
            raw: ExactObject::default(),
            pull: None,
            arrival_id: None,
        }
    }
}

/// A device of a user.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DeviceRecord {
    /// The team of the user.
    pub team_id: Uuid,
    /// The device.
    pub device: Device,
}

/// An order of lab tests with the reported results. An import creates no event for it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OrderRecord {
    /// The order, which names its team and its user.
    pub order: Order,
    /// Results that labs reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub results: Option<ReportedResults>,
}
