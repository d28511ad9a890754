//! Tests that measurements of the same quantity agree.

use serde_json::Value;
use wearlab_ingest::{Number, Sample, SampleValue};
use wearlab_models::ResourceName;

use super::super::clock::days;
use super::super::{COARSE, Day, Detail, FINE, SPARSE};
use super::{LATER, day, wearer};

/// Calls `check` with some weeks of some wearers, in the detail of devices and of providers.
fn each_day(mut check: impl FnMut(&Day<'_>)) {
    for index in 0..6 {
        let wearer = wearer(index);
        for date in days(day("2026-03-20"), day("2026-04-12")) {
            for detail in [FINE, COARSE, SPARSE] {
                check(&Day::of(&wearer, date, LATER, detail));
            }
        }
    }
}

/// Returns the value of a sample in tenths, exactly.
fn tenths(sample: &Sample) -> i64 {
    match sample.value {
        SampleValue::One(Number::Decimal { mantissa, scale: 0 }) => mantissa * 10,
        SampleValue::One(Number::Decimal { mantissa, scale: 1 }) => mantissa,
        _ => panic!("a value with one digit behind the point"),
    }
}

fn sum(samples: &[Sample]) -> i64 {
    samples.iter().map(tenths).sum()
}

/// Returns a number of a summary in tenths.
fn of(summary: &Value, field: &str) -> i64 {
    let number = summary[field].as_f64().expect("a number");
    (number * 10.0).round() as i64
}

fn only(summaries: Vec<Value>) -> Value {
    assert_eq!(summaries.len(), 1);
    summaries.into_iter().next().unwrap_or_default()
}

#[test]
fn stretches_add_up_to_the_activity_of_the_day() {
    let mut totals = Vec::new();
    each_day(|day| {
        let activity = only(day.summaries(&ResourceName::Activity));
        for (series, field) in [
            (ResourceName::Steps, "steps"),
            (ResourceName::Distance, "distance"),
            (ResourceName::CaloriesActive, "calories_active"),
        ] {
            assert_eq!(
                sum(&day.samples(&series)),
                of(&activity, field),
                "{field} of {}",
                day.day
            );
        }
        let rates: Vec<i64> = day.samples(&ResourceName::Heartrate).iter().map(tenths).collect();
        let extremes = [rates.iter().min(), rates.iter().max()].map(|rate| rate.copied().unwrap_or_default());
        let rate = &activity["heart_rate"];
        assert_eq!(extremes, [of(rate, "min_bpm"), of(rate, "max_bpm")]);
        totals.push((of(&activity, "steps") / 10, of(&activity, "calories_total") / 10));
    });
    for (steps, calories) in &totals {
        assert!((500..40_000).contains(steps), "{steps} steps");
        assert!((1_000..5_000).contains(calories), "{calories} kcal");
    }
    let mean = totals.iter().map(|(steps, _)| steps).sum::<i64>() / totals.len() as i64;
    assert!((5_000..15_000).contains(&mean), "{mean} steps a day");
}

#[test]
fn stages_are_those_of_the_sleep() {
    let list =
        |cycle: &Value, field: &str| -> Vec<i64> { serde_json::from_value(cycle[field].clone()).expect("a list") };
    each_day(|day| {
        let sleep = only(day.summaries(&ResourceName::Sleep));
        let cycle = only(day.summaries(&ResourceName::SleepCycle));
        assert_eq!(sleep["bedtime_start"], cycle["session_start"]);
        assert_eq!(sleep["bedtime_stop"], cycle["session_end"]);
        let [starts, ends, kinds] =
            ["stage_start_offset_second", "stage_end_offset_second", "stage_type"].map(|field| list(&cycle, field));
        assert_eq!(starts[0], 0);
        assert_eq!(starts[1..], ends[..ends.len() - 1], "no gaps");
        assert_eq!(ends.last().copied(), sleep["duration"].as_i64());
        let mut times = [0; 5];
        for ((start, end), kind) in starts.iter().zip(&ends).zip(&kinds) {
            assert!(start < end);
            times[*kind as usize] += end - start;
        }
        for (kind, field) in [(1, "deep"), (2, "light"), (3, "rem"), (4, "awake")] {
            assert_eq!(Some(times[kind]), sleep[field].as_i64(), "{field}");
            assert!(times[kind] > 0, "{field}");
        }
        assert_eq!(sleep["total"], times[1] + times[2] + times[3]);
        assert!((5 * 3_600..11 * 3_600).contains(&ends[ends.len() - 1]));
    });
}

#[test]
fn a_workout_has_the_samples_within_it() {
    let mut workouts = 0;
    each_day(|day| {
        for workout in day.summaries(&ResourceName::Workouts) {
            workouts += 1;
            let time = |field: &str| {
                let time: chrono::DateTime<chrono::FixedOffset> = workout[field]
                    .as_str()
                    .and_then(|text| text.parse().ok())
                    .expect("a time");
                time.timestamp_micros()
            };
            let (start, end) = (time("time_start"), time("time_end"));
            let within = |resource: &ResourceName| -> Vec<Sample> {
                let samples = day.samples(resource).into_iter();
                samples.filter(|sample| (start..end).contains(&sample.time)).collect()
            };
            for (series, field) in [
                (ResourceName::Distance, "distance"),
                (ResourceName::Steps, "steps"),
                (ResourceName::CaloriesActive, "calories"),
            ] {
                assert_eq!(sum(&within(&series)), of(&workout, field), "{field} of {}", day.day);
            }
            let rates = within(&ResourceName::Heartrate);
            let every = day.detail.exercise * 1_000_000;
            assert_eq!(rates.len() as i64, (end - start) / every);
            assert!(rates.iter().all(|rate| tenths(rate) <= of(&workout, "max_hr")));
        }
    });
    assert!(workouts > 50, "{workouts}");
}

#[test]
fn a_heart_is_slow_in_the_night_and_fast_in_exercise() {
    let (mut asleep, mut awake, mut exercising): (Vec<i64>, Vec<i64>, Vec<i64>) = Default::default();
    each_day(|day| {
        for sample in day.samples(&ResourceName::Heartrate) {
            let (at, rate) = (sample.time / 1_000_000, tenths(&sample) / 10);
            assert!((40..200).contains(&rate), "{rate}");
            let running = day
                .movement
                .workout
                .as_ref()
                .filter(|workout| workout.contains(at - 600));
            match day.nights.iter().any(|night| night.stage_at(at).is_some()) {
                true => asleep.push(rate),
                false if running.is_some_and(|workout| workout.sport.slug == "running") => exercising.push(rate),
                false => awake.push(rate),
            }
        }
    });
    let mean = |rates: &[i64]| rates.iter().sum::<i64>() / rates.len() as i64;
    assert!(mean(&asleep) + 8 < mean(&awake), "{} {}", mean(&asleep), mean(&awake));
    assert!(
        mean(&awake) + 40 < mean(&exercising),
        "{} {}",
        mean(&awake),
        mean(&exercising)
    );
}

#[test]
fn glucose_rises_after_meals() {
    let mut peaks = Vec::new();
    each_day(|day| {
        let glucose = day.samples(&ResourceName::Glucose);
        assert!(glucose.iter().all(|sample| (35..150).contains(&tenths(sample))));
        let Detail { glucose: every, .. } = day.detail;
        if every > 900 {
            return;
        }
        let at = |instant: i64| {
            let before = glucose.partition_point(|sample| sample.time <= instant * 1_000_000);
            glucose.get(before).map(tenths)
        };
        for meal in day.meals.iter().filter(|meal| meal.dish.carbs > 40.0) {
            peaks.extend(
                at(meal.at + 45 * 60)
                    .zip(at(meal.at - 300))
                    .map(|(peak, before)| peak - before),
            );
        }
    });
    assert!(peaks.len() > 100);
    let mean = peaks.iter().sum::<i64>() / peaks.len() as i64;
    assert!(mean > 12, "{mean} tenths of a mmol/L");
}

#[test]
fn what_is_not_over_is_not_known() {
    let wearer = wearer(0);
    let today = day("2026-05-06");
    let noon = wearer.clock.at(today, 12 * 60);
    let (so_far, whole) = [noon, LATER].map(|now| Day::of(&wearer, today, now, FINE)).into();
    for (resource, _) in super::super::series::SERIES {
        let (known, all) = (so_far.samples(resource), whole.samples(resource));
        assert!(known.len() <= all.len());
        assert!(known == all[..known.len()], "{resource}: what is known stays");
        let is_past = |sample: &Sample| sample.span.map_or(sample.time, |(_, end)| end) <= noon * 1_000_000;
        assert!(known.iter().all(is_past), "{resource}");
    }
    let sleep = only(so_far.summaries(&ResourceName::Sleep));
    assert_eq!(sleep["state"], "tentative");
    assert_eq!(only(whole.summaries(&ResourceName::Sleep))["state"], "confirmed");
    let (early, all) = (
        so_far.summaries(&ResourceName::Activity),
        whole.summaries(&ResourceName::Activity),
    );
    assert!(of(&only(early), "steps") < of(&only(all), "steps"));
    let night = Day::of(&wearer, today, wearer.clock.at(today, 2 * 60), FINE);
    assert!(night.summaries(&ResourceName::Sleep).is_empty());
}
