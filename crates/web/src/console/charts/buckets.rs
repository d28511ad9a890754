//! Downsampling: a span in equal buckets, or in the hours, days or weeks of the user that it touches.

use jiff::civil::Weekday;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use serde::Serialize;

/// Samples of a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Bucket {
    /// Start, in s since 1970.
    pub(super) start: i64,
    pub(super) count: u64,
    pub(super) sum: f64,
    pub(super) min: f64,
    pub(super) max: f64,
}

impl Bucket {
    fn new(start: i64) -> Self {
        Self {
            start,
            count: 0,
            sum: 0.0,
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
        }
    }

    fn add(&mut self, value: f64) {
        self.count += 1;
        self.sum += value;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    pub(super) fn mean(&self) -> f64 {
        self.sum / self.count as f64
    }
}

/// Buckets of a span. Samples come in any order.
#[derive(Debug)]
pub(super) struct Buckets {
    /// Buckets in order of their starts. A sample belongs to the last one that starts before it.
    buckets: Vec<Bucket>,
    end: i64,
}

/// Steps of buckets of the calendar.
#[derive(Clone, Copy)]
enum Step {
    Seconds(i64),
    Days,
    Weeks(i64),
}

impl Buckets {
    /// Returns at most `most` equal parts of a span, in s since 1970, none shorter than a second.
    pub(super) fn equal(start: i64, end: i64, most: usize) -> Self {
        let most = i64::try_from(most.max(1)).unwrap_or(i64::MAX);
        let width = ((end - start + most - 1) / most).max(1);
        let starts = (0..).map(|number| start + number * width).take_while(|at| *at < end);
        Self::starting(starts.collect(), end)
    }

    /// Returns the quarters of an hour, hours, days or weeks of the time zone that a span touches: the shortest of
    /// which there are at most `most`, or several weeks each.
    pub(super) fn calendar(start: i64, end: i64, most: usize, zone: &TimeZone) -> Self {
        let span = end - start;
        let most = i64::try_from(most.max(3)).unwrap_or(i64::MAX);
        // A span may touch two more steps than fit into it.
        let fits = |step: i64| span / step + 2 <= most;
        let step = match () {
            () if span <= 86_400 && fits(900) => Step::Seconds(900),
            () if span <= 4 * 86_400 && fits(3_600) => Step::Seconds(3_600),
            // A day may have 23 hours.
            () if fits(23 * 3_600) => Step::Days,
            () => Step::Weeks((span / (7 * 86_400 - 3_600) / (most - 2)) + 1),
        };
        let mut starts = match step {
            Step::Seconds(step) => {
                let offset = offset(start, zone);
                let first = (start + offset).div_euclid(step) * step - offset;
                let starts = (0..).map(|number| first + number * step);
                starts.take_while(|at| *at < end + step).collect()
            }
            Step::Days => days(start, end, zone, 1),
            Step::Weeks(weeks) => days(start, end, zone, 7 * weeks),
        };
        // The last start is the end of the bucket before it.
        let end = if starts.len() > 1 { starts.pop() } else { None }.unwrap_or(end);
        Self::starting(starts, end)
    }

    /// Returns the start and the end of the span of samples.
    pub(super) fn span(&self) -> (i64, i64) {
        let start = self.buckets.first().map_or(self.end, |bucket| bucket.start);
        (start, self.end)
    }

    fn starting(starts: Vec<i64>, end: i64) -> Self {
        Self {
            buckets: starts.into_iter().map(Bucket::new).collect(),
            end,
        }
    }

    /// Adds a sample, if it is in the span.
    pub(super) fn add(&mut self, time: i64, value: f64) {
        if time >= self.end || !value.is_finite() {
            return;
        }
        let behind = self.buckets.partition_point(|bucket| bucket.start <= time);
        if let Some(bucket) = behind.checked_sub(1).and_then(|index| self.buckets.get_mut(index)) {
            bucket.add(value);
        }
    }

    /// Returns all buckets, including those without samples.
    pub(super) fn into_vec(self) -> Vec<Bucket> {
        self.buckets
    }
}

/// Returns the offset of the time zone from UTC at a time, in s.
fn offset(second: i64, zone: &TimeZone) -> i64 {
    let then = Timestamp::from_second(second).unwrap_or_default();
    i64::from(zone.to_offset(then).seconds())
}

/// Returns the starts of the days, or of the weeks from Monday on, that a span touches, and of the next one.
fn days(start: i64, end: i64, zone: &TimeZone, step: i64) -> Vec<i64> {
    let Ok(first) = Timestamp::from_second(start) else {
        return Vec::new();
    };
    let mut day = first.to_zoned(zone.clone()).date();
    if step >= 7 && day.weekday() != Weekday::Monday {
        day = day.nth_weekday(-1, Weekday::Monday).unwrap_or(day);
    }
    let mut starts = Vec::new();
    while let Ok(midnight) = day.to_zoned(zone.clone()) {
        let at = midnight.timestamp().as_second();
        starts.push(at);
        if at >= end {
            break;
        }
        let Ok(next) = day.checked_add(step.days()) else {
            break;
        };
        day = next;
    }
    starts
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZoneDatabase;

    use super::Buckets;

    #[test]
    fn samples_are_counted_where_they_belong() {
        let mut buckets = Buckets::equal(100, 200, 10);
        for (time, value) in [
            (100, 1.0),
            (109, 3.0),
            (199, 5.0),
            (99, 9.0),
            (200, 9.0),
            (150, f64::NAN),
        ] {
            buckets.add(time, value);
        }
        let buckets = buckets.into_vec();
        assert_eq!(buckets.len(), 10);
        let first = buckets[0];
        assert_eq!(
            (first.start, first.count, first.min, first.max, first.mean()),
            (100, 2, 1.0, 3.0, 2.0)
        );
        assert_eq!((buckets[9].start, buckets[9].count), (190, 1));
        assert_eq!(
            buckets.iter().map(|bucket| bucket.count).sum::<u64>(),
            3,
            "others are outside"
        );
    }

    #[test]
    fn there_are_never_more_buckets_than_allowed() {
        for (span, most) in [(1, 100), (99, 100), (101, 100), (1_000_000, 7), (86_400, 1)] {
            let buckets = Buckets::equal(0, span, most).into_vec();
            assert!(buckets.len() <= most && !buckets.is_empty(), "{span} in {most}");
        }
        let zone = TimeZoneDatabase::bundled().get("Asia/Kolkata").expect("a zone");
        for days in [1, 2, 4, 5, 100, 400, 4_000, 36_600] {
            for (start, most) in [(0, 50), (77, 100), (1_792_879_200, 200), (12_345, 2_000)] {
                let end = start + days * 86_400;
                let buckets = Buckets::calendar(start, end, most, &zone);
                let (first, last) = buckets.span();
                assert!(first <= start && last >= end, "what a span touches is whole");
                let count = buckets.into_vec().len();
                assert!(count > 0 && count <= most, "{days} days in {most}: {count}");
            }
        }
    }

    #[test]
    fn hours_are_those_of_the_time_zone() {
        let zone = TimeZoneDatabase::bundled().get("Asia/Kolkata").expect("a zone");
        let buckets = Buckets::calendar(0, 2 * 86_400, 100, &zone).into_vec();
        // 05:30 there is in the hour that began at 05:00.
        assert_eq!((buckets[0].start, buckets[1].start), (-1_800, 1_800));
    }

    #[test]
    fn days_are_those_of_the_time_zone() {
        let zone = TimeZoneDatabase::bundled().get("Europe/Berlin").expect("a zone");
        // 2026-10-24T22:00Z is midnight there; on the 25th, clocks go back: that day has 25 hours.
        let start = 1_792_879_200;
        let buckets = Buckets::calendar(start, start + 5 * 86_400, 100, &zone).into_vec();
        let lengths: Vec<_> = buckets.windows(2).map(|pair| pair[1].start - pair[0].start).collect();
        assert_eq!(buckets[0].start, start);
        assert_eq!(lengths, [90_000, 86_400, 86_400, 86_400]);
    }

    #[test]
    fn steps_of_the_calendar_grow_with_the_span() {
        let zone = jiff::tz::TimeZone::UTC;
        let day = 86_400;
        for (days, count) in [(1, 96), (4, 96), (5, 5), (300, 300)] {
            assert_eq!(
                Buckets::calendar(0, days * day, 400, &zone).into_vec().len(),
                count,
                "{days}"
            );
        }
        let weeks = Buckets::calendar(0, 1_000 * day, 400, &zone).into_vec();
        assert_eq!(weeks.len(), 144);
        assert_eq!(weeks[1].start - weeks[0].start, 7 * day);
        assert_eq!(weeks[1].start, 4 * day, "1970-01-05 was a Monday");
        let many = Buckets::calendar(0, 1_000 * day, 80, &zone).into_vec();
        assert_eq!(many[2].start - many[1].start, 14 * day);
    }
}
