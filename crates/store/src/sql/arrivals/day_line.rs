//! Recognises repeated lines of a day's data, by stored values and time zones.

use std::borrow::Cow;

use wearlab_ingest::{Completed, Kept};
use wearlab_models::User;

use super::day_hash::DayHash;
use super::repeats::{News, in_zone};
use crate::sql::Transaction;
use crate::sql::data::days::StoredDay;
use crate::sql::users::row::UserRow;
use crate::{DataArrival, Ingestion, StoreError};

/// Arriving data of a day, with the stored row of their date.
pub(crate) struct DayLine<'a> {
    pub(crate) user_row: UserRow,
    pub(crate) arrival: &'a DataArrival,
    pub(crate) values_hash: [u8; 32],
    pub(crate) day: StoredDay,
}

impl DayLine<'_> {
    /// Returns whether the same data arrived last.
    fn is_repeated(&self) -> bool {
        self.day.last().is_some_and(|last| last.is_of(&self.values_hash))
    }

    /// The time zone by which the same data were read, if they arrived last.
    fn repeated_zone(&self) -> Option<&str> {
        self.day.last().filter(|_| self.is_repeated())?.zone()
    }

    /// The time zones by which its times may have been read before, and the user's: the likeliest first.
    fn zones<'z>(&'z self, user: &'z User) -> Vec<&'z str> {
        let noted = self.day.last().into_iter().flat_map(DayHash::zones);
        let likeliest = self.repeated_zone().into_iter().chain([&*user.fallback_time_zone.id]);
        let mut zones = Vec::new();
        for zone in likeliest.chain(noted) {
            if !zones.contains(&zone) {
                zones.push(zone);
            }
        }
        zones
    }
}

impl Transaction<'_> {
    /// Returns the user in whose time zone the times of a line are read. None if all its values are stored as read in
    /// any stored time zone of the day.
    ///
    /// A line has one clock. If the stored values show that it is that of a time zone, all its values are read in that
    /// one; and so are those of the line that arrived last. Otherwise they are read in that of the user.
    pub(crate) fn reading_user<'u>(
        &self,
        line: &DayLine<'_>,
        user: &'u User,
        ingestion: &Ingestion,
    ) -> Result<Option<Cow<'u, User>>, StoreError> {
        let own = Cow::Borrowed(user);
        if !line.day.has_arrived() || !line.arrival.has_local_times() {
            return Ok(Some(own));
        }
        if line.is_repeated() && line.repeated_zone().is_none() {
            // An earlier version took it, in an unknown time zone.
            let is_stored = self.is_stored_by_clock(line.user_row, user, line.arrival, ingestion)?;
            return Ok((!is_stored).then_some(own));
        }
        let zones = line.zones(user);
        if zones.len() == 1 {
            return Ok(Some(own));
        }
        let mut found = None;
        for zone in zones {
            let read_as = in_zone(user, Some(zone));
            // The values may be unordered in that time zone, or one of them may end before it starts. That is an error
            // only in the time zone by which the line is read.
            let Ok(located) = line.arrival.with_offsets(&read_as) else {
                continue;
            };
            let (completed, wanted) = match self.wanted(line.user_row, &read_as, &located, ingestion) {
                Err(StoreError::Refused { .. }) => continue,
                read => read?,
            };
            let news = self.news(line.user_row, &completed)?;
            let is_of_zone = line.repeated_zone() == Some(zone) || shows_zone(&completed, &news);
            let may_be_known = is_of_zone || zone == user.fallback_time_zone.id;
            if may_be_known && wanted.any && self.is_known(line, &completed)? {
                return Ok(None);
            }
            if found.is_none() && is_of_zone && news.changed.is_empty() && completed.check_order().is_ok() {
                found = Some(read_as.into_owned());
            }
        }
        Ok(Some(found.map_or(own, Cow::Owned)))
    }

    /// Returns whether all values of a line are stored unchanged. The first data of a date are always new, and so is a
    /// sample later than all of the date: for a stream of samples, the stored ones need not be read.
    ///
    /// The provider's own payload, and values that exist only in events, are not stored: lines with these are new
    /// unless they are the ones that arrived last.
    pub(crate) fn is_known(&self, line: &DayLine<'_>, completed: &Completed<'_>) -> Result<bool, StoreError> {
        let latest = line.day.last().and_then(DayHash::latest);
        let is_later = latest.is_some() && latest_sample(completed) > latest;
        if !line.day.has_arrived() || is_later {
            return Ok(false);
        }
        let is_stored = !matches!(completed.kept, Kept::Nothing) && completed.arrival.raw.is_empty();
        if !is_stored && !line.is_repeated() {
            return Ok(false);
        }
        self.are_stored(line.user_row, completed)
    }
}

/// Returns whether the stored values show that a line was read in a time zone: no more are missing than are equal, and
/// none differs. One sample is not enough, since another clock may have shown the same value at the same time by chance.
fn shows_zone(completed: &Completed<'_>, news: &News) -> bool {
    let least = match completed.kept {
        Kept::Samples(_) => 2,
        Kept::Summaries(_) | Kept::Nothing => 1,
    };
    news.changed.is_empty() && news.unchanged >= news.missing.len().max(least)
}

/// The time of the latest sample, in µs since 1970.
pub(crate) fn latest_sample(completed: &Completed<'_>) -> Option<i64> {
    match &completed.kept {
        Kept::Samples(samples) => samples.iter().map(|sample| sample.time).max(),
        _ => None,
    }
}
