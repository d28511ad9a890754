//! Tests that times are within their local day, on days of 23, 24 and 25 hours.

use wearlab_models::ResourceName;

use super::super::clock::{Clock, days, shifted};
use super::super::cycle;
use super::super::series::SERIES;
use super::super::{COARSE, Day, FINE, SPARSE};
use super::{LATER, day, wearer_in};

/// Time zones with days on which their clocks change, forward and back, and one without clock changes.
const CHANGES: &[(&str, &str, &str)] = &[
    ("Europe/Oslo", "2026-03-29", "2026-10-25"),
    ("America/New_York", "2026-03-08", "2026-11-01"),
    ("Pacific/Auckland", "2026-09-27", "2026-04-05"),
    ("Asia/Kolkata", "2026-03-29", "2026-10-25"),
];

#[test]
fn samples_are_of_their_day() {
    for (zone, forward, back) in CHANGES {
        let wearer = wearer_in(zone);
        let around = |change: &str| days(shifted(day(change), -1), shifted(day(change), 1));
        for date in around(forward).chain(around(back)) {
            let [start, end] = [date, shifted(date, 1)].map(|day| wearer.clock.midnight(day) * 1_000_000);
            for detail in [FINE, COARSE, SPARSE] {
                let made = Day::of(&wearer, date, LATER, detail);
                for (resource, _) in SERIES {
                    let samples = made.samples(resource);
                    assert!(!samples.is_empty(), "{resource} of {date} in {zone}");
                    assert!(samples.is_sorted_by(|a, b| a.time < b.time));
                    for sample in &samples {
                        let (first, last) = sample.span.unwrap_or((sample.time, sample.time + 1));
                        assert!(start <= first && last <= end, "{resource} of {date} in {zone}");
                        assert_eq!(wearer.clock.day(sample.time / 1_000_000), date);
                        assert_eq!(sample.offset, wearer.clock.offset(sample.time / 1_000_000));
                    }
                }
            }
        }
    }
}

#[test]
fn days_on_which_clocks_change_are_shorter_or_longer() {
    for (zone, forward, back) in CHANGES {
        let wearer = wearer_in(zone);
        let rates = |change: &str| Day::of(&wearer, day(change), LATER, COARSE).instants_of_heart();
        let hours = match *zone {
            "Asia/Kolkata" => [24, 24],
            _ => [23, 25],
        };
        assert_eq!([rates(forward), rates(back)], hours.map(|hours| hours * 12), "{zone}");
    }
}

impl Day<'_> {
    /// Returns the number of heart rates at multiples of the interval outside workouts.
    fn instants_of_heart(&self) -> i64 {
        let samples = self.samples(&ResourceName::Heartrate);
        let even = samples
            .iter()
            .filter(|sample| (sample.time / 1_000_000 - self.start) % self.detail.heart == 0);
        even.count() as i64
    }
}

#[test]
fn summaries_say_the_offset_of_their_time() {
    // The night of the clock change begins in winter time and ends in summer time.
    let wearer = wearer_in("Europe/Oslo");
    let made = Day::of(&wearer, day("2026-03-29"), LATER, FINE);
    let sleep = &made.summaries(&ResourceName::Sleep)[0];
    let ends_with = |field: &str, offset: &str| sleep[field].as_str().is_some_and(|text| text.ends_with(offset));
    assert!(ends_with("bedtime_start", "+01:00"), "{sleep}");
    assert!(ends_with("bedtime_stop", "+02:00"), "{sleep}");
    assert_eq!(sleep["timezone_offset"], 7_200);
    for meal in made.summaries(&ResourceName::Meal) {
        assert!(
            meal["timestamp"]
                .as_str()
                .is_some_and(|text| text.starts_with("2026-03-29T"))
        );
    }
}

#[test]
fn a_skipped_time_is_as_long_after_the_change() {
    let clock = Clock::of("Europe/Oslo");
    let skipped = clock.at(day("2026-03-29"), 2 * 60 + 30);
    assert_eq!(clock.text(skipped), "2026-03-29T03:30:00+02:00");
    assert_eq!(clock.at(day("2026-03-28"), 1_440 + 60), clock.at(day("2026-03-29"), 60));
    assert_eq!(Clock::of("Mars/Olympus").midnight(day("1970-01-02")), 86_400);
}

#[test]
fn a_cycle_follows_the_other() {
    for index in 0..6 {
        let wearer = super::wearer(index);
        let known = wearer.clock.midnight(day("2027-06-01"));
        let dates = days(day("2026-01-01"), day("2026-12-31"));
        let cycles: Vec<_> = dates.filter_map(|date| cycle::begun(&wearer, date, known)).collect();
        let date = |cycle: &serde_json::Value, field: &str| day(cycle[field].as_str().expect("a day"));
        for (cycle, next) in cycles.iter().zip(cycles.iter().skip(1)) {
            assert_eq!(shifted(date(cycle, "cycle_end"), 1), date(next, "period_start"));
            assert!(date(cycle, "period_end") < date(cycle, "cycle_end"));
        }
        let expected = if wearer.is_female { 11..=15 } else { 0..=0 };
        assert!(expected.contains(&cycles.len()), "{}", cycles.len());
    }
}
