//! Storage of users, connections, devices, labs, keys and pipelines.
//!
//! [`Store`] reads and writes. Data of a team is accessed only through [`Store::team`], and a [`TeamId`] comes from a
//! key, a link token or the write side: a read without a team does not compile.
//!
//! Documents that clients read whole are stored as their JSON text, with separate columns for lookups and sorting. A
//! read returns these bytes without decoding and encoding them.
//!
//! Only `sql` and the engines contain SQL.
//!
//! ```
//! use wearlab_models::{Environment, Region, Uuid};
//! use wearlab_store::{KeyRecord, Store, TeamRecord};
//!
//! # async fn run(directory: &std::path::Path) -> Result<(), wearlab_store::StoreError> {
//! let store = Store::open(directory)?;
//! store
//!     .write(|write| {
//!         write.put_organisation("org_example")?;
//!         let team = write.put_team(&TeamRecord {
//!             team_id: Uuid::from_u128(1),
//!             org_id: "org_example".to_owned(),
//!             environment: Environment::Sandbox,
//!             region: Region::Eu,
//!         })?;
//!         write.put_key(&KeyRecord::of_team(team.uuid(), "a key"))
//!     })
//!     .await?;
//!
//! if let Some(team) = store.team_of_key("a key").await? {
//!     let page = store.team(team).users(0, 100).await?;
//!     assert_eq!(page.total, 0);
//! }
//! # Ok(())
//! # }
//! ```

mod audit;
mod core;
mod delivery;
mod earlier;
mod error;
mod event;
mod idempotency;
mod ids;
mod key;
mod key_scope;
mod lease;
mod leases;
mod linking;
mod migrate;
mod organisation;
mod page;
mod pull_history;
mod pull_status;
mod pull_task;
mod reads;
mod record;
mod retention_time;
mod row_digest;
mod schema;
mod seal;
mod sql;
mod store;
mod team;
mod text;
mod values;
mod verify;

pub use audit::{Actor, AuditEntry, AuditLogPosition, StreamEntry};
pub use delivery::{
    Advance, AttemptOutcome, Backlog, Changes, DeliveryAttempt, DeliveryState, DestinationBacklog, DestinationId,
    DestinationStatus, LoggedAttempt, OrganisationDestinations, Outage, PendingEvent, Progress, Reachability,
    ReplayFilter, ReplayPart, ReplayPosition, ReplayRead, ReplayTarget, SigningSecret, TeamPipeline, Undelivered,
    UndeliveredFilter, UndeliveredPage, WebhookEndpoint,
};
/// Exported for tests that change rows directly: a write needs these functions.
#[doc(hidden)]
pub use earlier::add_row_checksum_functions;
pub use error::StoreError;
pub use event::{
    EventFilter, EventRetention, Ingested, LogFilter, LogPage, LogRead, LoggedEvent, Pruned, PrunedValues,
    ValueRetention,
};
pub use idempotency::{IdempotencyOutcome, IdempotentRequest};
pub use ids::{OrganisationId, TeamId};
pub use key::{KeyHash, KeyInfo, KeyOwner, KeyRecord};
pub use key_scope::{KeyScope, KeyScopes};
pub use lease::{Assignment, Lease};
pub use linking::{
    AuthorizationId, AuthorizationSecrets, ConnectionFilter, ConnectionId, ConnectionPage, ConnectionTokens,
    LinkOptions, LinkTokenOwner, LinkTokenPage, LinkableProvider, LinkedConnection, ListedConnection, NewAuthorization,
    OAuthTokens, PendingAuthorization, Returned, StoredProviderSettings, TokenOrigins,
};
pub use migrate::{MigrateError, MigrationStep, StoreAddress, TableSum};
pub use organisation::OrganisationStore;
pub use page::{
    IntrospectionFilter, IntrospectionPage, KeyFilter, KeyPage, LabTestPage, MarkerPage, OrderFilter, OrderPage,
    OrderPlace, OrderRows, PipelineFilter, PipelinePage, TeamPage, UserPage, UserPosition, WebhookPage,
};
pub use pull_history::PullHistory;
pub use pull_task::{
    AccountConnection, HISTORY_TASKS, LINK_TASK, LeasedPullTask, NewPullTask, PROVIDER_DELAYS, PullBacklog, PullKind,
    PullTask, PullTaskUpdate, RECENT_TASKS,
};
pub use record::{
    ConnectionRecord, DeviceRecord, LabAccountRecord, LabTestDetails, LabTestRecord, OrderRecord, OrganisationRecord,
    ProviderRecord, Record, TeamRecord, ValuesRecord,
};
pub use retention_time::ClockReading;
pub use seal::SecretKey;
pub use sql::{Transaction, ValuePosition, ValuesPage};
pub use store::Store;
pub use team::TeamStore;
pub use text::has_control_characters;
pub use values::{SampleFilter, SampleGroup, SamplePage, SamplePosition, Session, SummaryList};
#[cfg(feature = "postgres")]
pub use wearlab_database::postgres::{InvalidUrl, PostgresSettings};
pub use wearlab_database::sqlite::{EmbeddedSettings, remove_unfinished_copies};
pub use wearlab_database::{Damage, Verified};
/// Types that [`Transaction::ingest`] accepts, and from which events are built.
pub use wearlab_ingest::payload::Envelope;
pub use wearlab_ingest::{
    Arrival, ArrivalSource, ConnectionEnded, ConnectionFailed, ConnectionMade, DataArrival, DeprecatedForms,
    DeviceSeen, ExactNumber, ExactObject, ExactValue, Ingestion, LabOrderUpdated, LabReport, PullChunk, Until,
    ValidArrival,
};
pub use wearlab_samples::PageLimit;
