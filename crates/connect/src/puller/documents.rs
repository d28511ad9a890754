//! Days of documents that notices name by their ids alone.

use chrono::NaiveDate;

use crate::connector::Connector;
use crate::provider::{Collection, Session};
use crate::refusal::{Refusal, found};

/// Looks up the days of documents. Those that the provider does not have are left out, and so are those that cannot be read, with
/// an error in the log.
pub(super) async fn days(
    connector: &Connector,
    session: &Session,
    collection: &'static Collection,
    ids: &[String],
) -> Result<Vec<NaiveDate>, Refusal> {
    let mut days = Vec::new();
    for id in ids {
        match found(connector.provider.day_of(session, collection, id).await) {
            Ok(day) => days.extend(day.flatten()),
            Err(Refusal::Failed(reason)) => tracing::error!(
                provider = connector.provider.profile().slug,
                collection = collection.name,
                reason,
                "cannot read the day of a document: the last days are read alone"
            ),
            Err(refusal) => return Err(refusal),
        }
    }
    Ok(days)
}
