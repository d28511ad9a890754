//! Arrivals of the data of a day.

use std::collections::BTreeSet;

use wearlab_ingest::{Completed, WantedValues, has_hypnogram, payload, wants};
use wearlab_models::{ConnectedProvider, ResourceName, User};

use super::day_hash::DayHash;
use super::day_line::{DayLine, latest_sample};
use crate::sql::Transaction;
use crate::sql::data::samples::Series;
use crate::sql::users::available::UserWithAvailable;
use crate::sql::users::row::UserRow;
use crate::{DataArrival, ExactObject, Ingested, Ingestion, StoreError, TeamId};

/// The connection of data, if it was read.
struct Connected {
    connection: Option<ConnectedProvider>,
    /// True if it shows the resource of the data as available.
    is_shown: bool,
    /// True if events show its details.
    shows_details: bool,
}

impl Connected {
    /// The connection that must show the resource as available.
    fn to_show(&self) -> Option<&ConnectedProvider> {
        self.connection.as_ref().filter(|_| !self.is_shown)
    }

    /// The connection with details for events.
    fn details(&self) -> Option<&ConnectedProvider> {
        self.connection.as_ref().filter(|_| self.shows_details)
    }
}

impl Transaction<'_> {
    /// Takes data of a day, or a chunk of a pull. Data that are all stored unchanged have no effect.
    pub(crate) fn data(
        &self,
        team: TeamId,
        known: &UserWithAvailable,
        arrival: &DataArrival,
        values_hash: Option<[u8; 32]>,
        ingestion: &Ingestion,
    ) -> Result<Ingested, StoreError> {
        let user = &known.user;
        let connected = self.connected(team, known, arrival, ingestion)?;
        let user_row = self.require_user_row(team, arrival.user_id)?;
        if arrival.resource == ResourceName::Hypnogram && !ingestion.forms.hypnogram_events.holds(ingestion.now) {
            let what = "events of hypnograms are no longer sent: send sleep_cycle values, which have the stages as their \
                        hypnogram, or set events.deprecated.hypnogram_events";
            return Err(StoreError::Conflict { what });
        }
        let values_hash = values_hash.unwrap_or_else(|| arrival.values_hash());
        if let Some(chunk) = &arrival.pull {
            return self.chunk(
                team,
                user,
                connected.to_show(),
                arrival,
                (chunk, &values_hash),
                ingestion,
            );
        }
        if !wants(user, arrival.date) {
            return Ok(Ingested::OutOfBounds);
        }
        let line = DayLine {
            user_row,
            arrival,
            values_hash,
            day: self.known_day(&Series::of(user_row, arrival), arrival.date)?,
        };
        let Some(read_as) = self.reading_user(&line, user, ingestion)? else {
            return Ok(Ingested::Duplicate);
        };
        let located = arrival.with_offsets(&read_as)?;
        let (completed, wanted) = self.wanted(user_row, &read_as, &located, ingestion)?;
        if !wanted.any {
            return Ok(Ingested::OutOfBounds);
        }
        if self.is_known(&line, &completed)? {
            return Ok(Ingested::Duplicate);
        }
        completed.check_order()?;
        let again = self.note_line(&line, &read_as, &completed, &wanted)?;
        self.set_available(team, arrival, connected.to_show())?;
        self.keep(user_row, &completed, |_| true)?;
        let events = self.emit_daily(
            (team, user_row),
            &read_as,
            &completed,
            again,
            connected.details(),
            ingestion,
        )?;
        self.note_success(user_row, arrival, ingestion.now, events)?;
        Ok(match wanted.dropped {
            0 => Ingested::Taken,
            days => Ingested::Partly(days),
        })
    }

    /// The connection of data. It is not read if the row of the user suffices.
    fn connected(
        &self,
        team: TeamId,
        known: &UserWithAvailable,
        arrival: &DataArrival,
        ingestion: &Ingestion,
    ) -> Result<Connected, StoreError> {
        let shows_details = ingestion.forms.source_details.holds(ingestion.now);
        let is_shown = self.shows_available(team, known, arrival);
        let connection = match is_shown && !shows_details {
            true => None,
            false => Some(self.require_connection(team, arrival.user_id, &arrival.provider)?),
        };
        Ok(Connected {
            connection,
            is_shown,
            shows_details,
        })
    }

    /// An arrival whose values are complete, without those of days that the user excludes from ingest.
    pub(crate) fn wanted<'a>(
        &self,
        user_row: UserRow,
        user: &User,
        arrival: &'a DataArrival,
        ingestion: &Ingestion,
    ) -> Result<(Completed<'a>, WantedValues), StoreError> {
        let mut completed = self.completed(user_row, user, arrival, ingestion)?;
        let wanted = WantedValues::of(user, &completed);
        if wanted.dropped > 0 {
            completed.retain(|place| wanted.has(place));
            // Its days are unknown.
            completed.arrival.to_mut().raw = ExactObject::default();
        }
        Ok((completed, wanted))
    }

    /// Records the data of the date of a line, and the days of its values. Returns whether all these days had
    /// data before.
    fn note_line(
        &self,
        line: &DayLine<'_>,
        read_as: &User,
        completed: &Completed<'_>,
        wanted: &WantedValues,
    ) -> Result<bool, StoreError> {
        let DayLine { arrival, day, .. } = line;
        let zone = arrival.has_local_times().then_some(&*read_as.fallback_time_zone.id);
        let last = day.last();
        let latest = latest_sample(completed).max(last.and_then(DayHash::latest));
        let earlier = last.into_iter().flat_map(DayHash::zones);
        let hash = DayHash::new(&line.values_hash, zone).with_earlier(latest, earlier);
        let series = Series::of(line.user_row, arrival);
        let is_of_date = wanted.days.contains(&arrival.date);
        self.put_day(&series, arrival.date, day, &hash, is_of_date)?;
        let others: BTreeSet<_> = wanted.days.iter().copied().filter(|day| *day != arrival.date).collect();
        let had_others = self.note_days(&series, &others)?;
        Ok(match wanted.days.is_empty() {
            true => day.has_data(),
            false => had_others && (day.has_data() || !is_of_date),
        })
    }

    /// Appends the events of data of a day. `again` is true if all their days had data before. Returns the number of
    /// events.
    fn emit_daily(
        &self,
        (team, user_row): (TeamId, UserRow),
        user: &User,
        completed: &Completed<'_>,
        again: bool,
        details: Option<&ConnectedProvider>,
        ingestion: &Ingestion,
    ) -> Result<i64, StoreError> {
        let arrival = &*completed.arrival;
        let source = payload::source(&arrival.provider, &arrival.source, details);
        let mut events = self.emit_replaced(team, user, completed, |_| true, ingestion)?;
        if arrival.resource != ResourceName::Hypnogram {
            self.emit(team, user, ingestion, |envelope| {
                Ok(payload::daily(envelope, completed, again, source.clone())?)
            })?;
            events += 1;
        }
        if has_hypnogram(&arrival.resource) && ingestion.forms.hypnogram_events.holds(ingestion.now) {
            // The stages of one night arrive as either resource; the event is that of both.
            let other = match arrival.resource {
                ResourceName::Hypnogram => ResourceName::SleepCycle,
                _ => ResourceName::Hypnogram,
            };
            let again = again || self.has_day(user_row, &arrival.provider, &other, arrival.date)?;
            self.emit(team, user, ingestion, |envelope| {
                Ok(payload::daily_hypnogram(envelope, arrival, again, source)?)
            })?;
            events += 1;
        }
        Ok(events)
    }
}
