//! Restores the values of imported records.

use chrono::DateTime;
use wearlab_ingest::{Kept, days_of_values};

use super::samples::Series;
use super::summary_lookup::has_derived_id;
use crate::sql::Transaction;
use crate::{StoreError, ValuesRecord};

impl Transaction<'_> {
    /// Puts values as they were stored before, without an event.
    pub(crate) fn put_values(&self, values: &ValuesRecord) -> Result<(), StoreError> {
        let team = self.require_team(values.team_id)?;
        let user = self.require_user(team, values.user_id)?;
        let user_row = self.require_user_row(team, values.user_id)?;
        let arrival = values.arrival();
        let arrival = arrival.with_offsets(&user)?;
        let stored = self.stored_summaries(user_row, &arrival)?;
        let mut completed = arrival.completed(&user, DateTime::UNIX_EPOCH, stored)?;
        if let Kept::Summaries(summaries) = &mut completed.kept {
            for summary in &mut *summaries {
                summary.has_derived_id = has_derived_id(summary.id, values.derived_ids);
            }
            let given: Vec<_> = (0..summaries.len())
                .map(|index| values.data.get(completed.place(index)))
                .collect();
            for (value, given) in completed.arrival.to_mut().data.iter_mut().zip(given) {
                let Some(given) = given else { continue };
                for name in ["created_at", "updated_at"] {
                    if let Some(time) = given.get(name) {
                        value.insert(name, time.clone());
                    }
                }
            }
        }
        let days = days_of_values(&user, &completed).into_iter().collect();
        self.note_days(&Series::of(user_row, &completed.arrival), &days)?;
        self.note_import(user_row, &completed.arrival)?;
        self.keep(user_row, &completed, |_| true)
    }
}
