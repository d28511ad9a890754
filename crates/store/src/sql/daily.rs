//! Arrivals of the data of a day.

use std::borrow::Cow;

use wearlab_ingest::{Completed, Kept, WantedValues, has_hypnogram, payload, wants};
use wearlab_models::{ResourceName, User};

use super::Transaction;
use super::available::KnownUser;
use super::days::DayHash;
use super::repeats::in_zone;
use super::user_row::UserRow;
use crate::{DataArrival, ExactObject, Ingested, Ingestion, StoreError, TeamId};

impl Transaction<'_> {
    /// Takes data of a day, or a chunk of a pull. Data whose values are all stored as they are cause nothing.
    pub(super) fn data(
        &self,
        team: TeamId,
        known: &KnownUser,
        arrival: &DataArrival,
        values_hash: Option<[u8; 32]>,
        ingestion: &Ingestion,
    ) -> Result<Ingested, StoreError> {
        let user = &known.user;
        let shows_details = ingestion.forms.source_details.holds(ingestion.now);
        // Not read where it would say no more than the row of the user.
        let is_shown = self.shows_available(team, known, arrival);
        let connection = match is_shown && !shows_details {
            true => None,
            false => Some(self.known_connection(team, arrival.user_id, &arrival.provider)?),
        };
        let to_show = connection.as_ref().filter(|_| !is_shown);
        let user_row = self.known_user_row(team, arrival.user_id)?;
        let hypnogram_events = ingestion.forms.hypnogram_events.holds(ingestion.now);
        if arrival.resource == ResourceName::Hypnogram && !hypnogram_events {
            let what = "events of hypnograms are no longer sent: send sleep_cycle values, which have the stages as their \
                        hypnogram, or set events.deprecated.hypnogram_events";
            return Err(StoreError::Conflict { what });
        }
        let values_hash = values_hash.unwrap_or_else(|| arrival.values_hash());
        if let Some(chunk) = &arrival.pull {
            return self.chunk(team, user, to_show, arrival, (chunk, &values_hash), ingestion);
        }
        if !wants(user, arrival.date) {
            return Ok(Ingested::OutOfBounds);
        }
        let as_arrived = arrival;
        let is_local = as_arrived.has_local_times();
        let day = self.known_day(user_row, as_arrived, as_arrived.date)?;
        // The same data are no news when the user's time zone has changed.
        let mut read_as = Cow::Borrowed(user);
        let repeated = day.repeated(&values_hash);
        if is_local && matches!(repeated, Some(None)) {
            // An earlier version took it, in a time zone that is not known.
            if self.is_stored_by_clock(user_row, user, as_arrived, ingestion)? {
                return Ok(Ingested::Known);
            }
        } else if let Some(zone) = repeated {
            let then = in_zone(user, zone);
            let located = as_arrived.with_offsets(&then)?;
            let (completed, _) = self.wanted(user_row, &then, &located, ingestion)?;
            let news = self.news(user_row, &completed)?;
            if news.is_empty() {
                return Ok(Ingested::Known);
            }
            // What was deleted since comes back as it was.
            if news.changed.is_empty() {
                read_as = then;
            }
        }
        let user = &*read_as;
        let located = as_arrived.with_offsets(user)?;
        let (completed, wanted) = self.wanted(user_row, user, &located, ingestion)?;
        let dropped_days = match wanted {
            Some(wanted) if !wanted.any => return Ok(Ingested::OutOfBounds),
            wanted => wanted.map_or(0, |wanted| wanted.dropped),
        };
        let latest = latest_sample(&completed);
        // The first data of a day are news in any case. So is a sample later than all that arrived for it: whoever streams
        // samples does not wait until those of the day are read.
        let is_later = latest > day.latest() && day.latest().is_some();
        if repeated.is_none() && day.has_arrived() && !is_later && self.are_stored(user_row, &completed)? {
            return Ok(Ingested::Known);
        }
        completed.check_order()?;
        let zone = is_local.then_some(&*user.fallback_time_zone.id);
        let hash = DayHash::new(&values_hash, zone).with_latest(latest.max(day.latest()));
        self.put_day(user_row, as_arrived, as_arrived.date, &day, &hash)?;
        let again = day.has_data();
        self.set_available(team, as_arrived, to_show)?;
        self.keep(user_row, &completed, |_| true)?;
        let arrival = &*completed.arrival;
        let details = connection.as_ref().filter(|_| shows_details);
        let source = payload::source(&arrival.provider, &arrival.source, details);
        let mut events = self.emit_replaced(team, user, &completed, |_| true, ingestion)?;
        if arrival.resource != ResourceName::Hypnogram {
            self.emit(team, user, ingestion, |envelope| {
                Ok(payload::daily(envelope, &completed, again, source.clone())?)
            })?;
            events += 1;
        }
        if has_hypnogram(&arrival.resource) && hypnogram_events {
            // The stages of one night come as either resource; the event is that of both.
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
        self.note_success(user_row, arrival, ingestion.now, events)?;
        Ok(match dropped_days {
            0 => Ingested::Taken,
            days => Ingested::Partly(days),
        })
    }

    /// An arrival whose values are complete, without those that the user does not want ingested. The second one is None where
    /// the user wants all days.
    fn wanted<'a>(
        &self,
        user_row: UserRow,
        user: &User,
        arrival: &'a DataArrival,
        ingestion: &Ingestion,
    ) -> Result<(Completed<'a>, Option<WantedValues>), StoreError> {
        let mut completed = self.completed(user_row, user, arrival, ingestion)?;
        if user.ingestion_start.is_none() && user.ingestion_end.is_none() {
            return Ok((completed, None));
        }
        let wanted = WantedValues::of(user, &completed);
        if wanted.dropped > 0 {
            completed.retain(|place| wanted.places.contains(&place));
            // Nobody knows which days it is of.
            completed.arrival.to_mut().raw = ExactObject::default();
        }
        Ok((completed, Some(wanted)))
    }
}

/// The time of the latest sample, in µs since 1970.
fn latest_sample(completed: &Completed<'_>) -> Option<i64> {
    match &completed.kept {
        Kept::Samples(samples) => samples.iter().map(|sample| sample.time).max(),
        _ => None,
    }
}
