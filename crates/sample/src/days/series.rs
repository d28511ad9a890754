//! Time series of a day.

use wearlab_ingest::{Number, Sample, SampleValue};
use wearlab_models::ResourceName;

use super::clock::number;
use super::movement::Stretch;
use super::night::Night;
use super::noise::Of;
use super::{Day, Detail, heart, meals};

/// Function that returns the samples of a time series in order, all within the day.
type Samples = fn(&Day<'_>) -> Vec<Sample>;

/// Time series of a day.
pub(super) const SERIES: &[(ResourceName, Samples)] = &[
    (ResourceName::Heartrate, |day| day.heart_rates()),
    (ResourceName::Steps, |day| day.stretches(|stretch| whole(stretch.steps))),
    (ResourceName::Distance, |day| {
        day.stretches(|stretch| Number::decimal(stretch.distance, 1))
    }),
    (ResourceName::CaloriesActive, |day| {
        day.stretches(|stretch| Number::decimal(stretch.energy, 1))
    }),
    (ResourceName::Hrv, |day| {
        day.asleep(|night, at| tenths(heart::variability(day.wearer, night, at)))
    }),
    (ResourceName::RespiratoryRate, |day| {
        day.asleep(|night, at| tenths(heart::breaths(day.wearer, night, at)))
    }),
    (ResourceName::BloodOxygen, |day| {
        day.at_minutes(&[9 * 60, 13 * 60 + 10, 21 * 60], |at| {
            SampleValue::One(whole(heart::oxygen(day.wearer, at)))
        })
    }),
    (ResourceName::Glucose, |day| {
        let instants = day.instants(day.detail.glucose);
        let samples = instants.map(|at| day.one(at, tenths(meals::glucose(day.wearer, &day.meals, at))));
        samples.collect()
    }),
    (ResourceName::Weight, |day| {
        day.at_minutes(&[day.scale_minute()], |_| SampleValue::One(tenths(day.weight())))
    }),
    (ResourceName::BloodPressure, |day| {
        day.at_minutes(&[10 * 60 + 15, 20 * 60 + 40], |at| day.pressure(at))
    }),
    (ResourceName::Note, |day| day.notes()),
];

impl Day<'_> {
    /// Returns the samples of a time series in order, all within the day.
    pub(super) fn samples(&self, resource: &ResourceName) -> Vec<Sample> {
        let series = SERIES.iter().find(|(series, _)| series == resource);
        series.map(|(_, samples)| samples(self)).unwrap_or_default()
    }

    /// Returns the weight on this day, in kg.
    pub(super) fn weight(&self) -> f64 {
        self.wearer.weight_on(self.day)
    }

    /// Returns the time of weighing, in minutes after midnight: after getting up.
    fn scale_minute(&self) -> i64 {
        (self.nights[0].stop - self.start) / 60 + 12
    }

    /// Returns heart rates at even intervals, which are shorter in a workout.
    fn heart_rates(&self) -> Vec<Sample> {
        let Detail { heart, exercise, .. } = self.detail;
        let is_measured = |at: &i64| (at - self.start) % heart == 0 || self.exercises(*at);
        let instants = self.instants(exercise).filter(is_measured);
        instants.map(|at| self.one(at, whole(self.heart_rate(at)))).collect()
    }

    fn instants(&self, every: i64) -> impl Iterator<Item = i64> + use<> {
        (self.start..self.until).step_by(every as usize)
    }

    fn exercises(&self, at: i64) -> bool {
        (self.movement.workout.as_ref()).is_some_and(|workout| workout.contains(at))
    }

    /// Returns a sample for each span with a value above zero. Its time is the start of the span.
    fn stretches(&self, value: impl Fn(&Stretch) -> Number) -> Vec<Sample> {
        let part = |stretch: &Stretch| match self.exercises(stretch.start) {
            true => (true, (stretch.start - self.start) / self.detail.exercise),
            false => (false, (stretch.start - self.start) / self.detail.movement),
        };
        let parts = self.movement.stretches.chunk_by(|a, b| part(a) == part(b));
        let together = parts.filter_map(|part| part.iter().copied().reduce(Stretch::and));
        let values = together.map(|stretch| (stretch, value(&stretch)));
        let moved = values.filter(|(_, value)| *value != whole(0));
        moved
            .map(|(stretch, value)| Sample {
                span: Some((stretch.start * MICROS, stretch.stop * MICROS)),
                ..self.one(stretch.start, value)
            })
            .collect()
    }

    /// Returns samples at even intervals of those parts of both nights that are within the day.
    fn asleep(&self, value: impl Fn(&Night, i64) -> Number) -> Vec<Sample> {
        let instants = self.nights.iter().flat_map(|night| {
            let instants = night.instants(self.detail.night, self.start, self.until);
            instants.map(move |at| (night, at))
        });
        instants.map(|(night, at)| self.one(at, value(night, at))).collect()
    }

    /// Returns samples close to given minutes of the day.
    fn at_minutes(&self, minutes: &[i64], value: impl Fn(i64) -> SampleValue) -> Vec<Sample> {
        let instants = minutes.iter().map(|minutes| {
            let later = self.wearer.noise.unit(Of::Pressure, number(self.day) + minutes) * 600.0;
            self.start + minutes * 60 + later as i64
        });
        let known = instants.filter(|at| *at < self.until);
        known.map(|at| self.sample(at, value(at))).collect()
    }

    /// Returns the note about the day.
    fn notes(&self) -> Vec<Sample> {
        let (text, tag) = *self.wearer.noise.one_of(Of::Note, number(self.day), NOTES);
        let rest = serde_json::json!({"value": text, "tags": [tag]}).to_string();
        let notes = self.at_minutes(&[20 * 60 + 15], |_| SampleValue::None).into_iter();
        let with_text = notes.map(|note| Sample {
            rest: Some(rest.as_str().into()),
            ..note
        });
        with_text.collect()
    }

    fn pressure(&self, at: i64) -> SampleValue {
        let noise = self.wearer.noise;
        let systolic = 112.0 + (self.wearer.resting - 46.0) * 0.8 + 8.0 * noise.sway(Of::Pressure, at);
        let diastolic = 72.0 + (self.wearer.resting - 46.0) * 0.4 + 5.0 * noise.sway(Of::Pressure, -at);
        SampleValue::Pressure(whole(systolic.round() as i64), whole(diastolic.round() as i64))
    }

    fn one(&self, at: i64, value: Number) -> Sample {
        self.sample(at, SampleValue::One(value))
    }

    fn sample(&self, at: i64, value: SampleValue) -> Sample {
        Sample {
            time: at * MICROS,
            offset: self.wearer.clock.offset(at),
            span: None,
            kind: None,
            value,
            unit: None,
            timezone_offset: None,
            rest: None,
        }
    }
}

/// Texts and tags of notes.
const NOTES: &[(&str, &str)] = &[
    ("A quiet day", "mood"),
    ("Full of energy", "mood"),
    ("Tired since noon", "mood"),
    ("Late meal", "food"),
    ("Ate out", "food"),
    ("Sore legs", "training"),
    ("A new route", "training"),
];

/// Microseconds of a second.
const MICROS: i64 = 1_000_000;

fn whole(number: i64) -> Number {
    Number::decimal(number, 0)
}

fn tenths(number: f64) -> Number {
    Number::decimal((number * 10.0).round() as i64, 1)
}
