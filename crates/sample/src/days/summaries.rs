//! Summaries of a day.

use serde_json::{Value, json};
use wearlab_ingest::{Number, SampleValue};
use wearlab_models::ResourceName;

use super::clock::number;
use super::meals::Meal;
use super::movement::Workout;
use super::night::{Night, StageKind};
use super::noise::Of;
use super::{Day, cycle, heart};

/// Interval of averaged heart rates, in s.
const INTERVAL: i64 = 300;

/// Function that returns the summaries of a resource on a day.
type Summaries = fn(&Day<'_>) -> Vec<Value>;

/// Summaries of a day. The profile has no day.
pub(super) const SUMMARIES: &[(ResourceName, Summaries)] = &[
    (ResourceName::Activity, |day| vec![day.activity()]),
    (ResourceName::Body, |day| {
        let is_weighed = !day.samples(&ResourceName::Weight).is_empty();
        is_weighed.then(|| day.body()).into_iter().collect()
    }),
    (ResourceName::Sleep, |day| {
        day.night().map(|night| day.sleep(night)).into_iter().collect()
    }),
    (ResourceName::SleepCycle, |day| {
        day.night().map(|night| day.sleep_cycle(night)).into_iter().collect()
    }),
    (ResourceName::Workouts, |day| {
        let workouts = day.movement.workout.iter();
        workouts.map(|workout| day.workout(workout)).collect()
    }),
    (ResourceName::Meal, |day| {
        day.meals.iter().map(|meal| day.meal(meal)).collect()
    }),
    (ResourceName::MenstrualCycle, |day| {
        cycle::begun(day.wearer, day.day, day.now).into_iter().collect()
    }),
    (ResourceName::Electrocardiogram, |day| {
        day.electrocardiogram().into_iter().collect()
    }),
];

impl Day<'_> {
    /// Returns the summaries of a resource on the day.
    pub(super) fn summaries(&self, resource: &ResourceName) -> Vec<Value> {
        let summaries = SUMMARIES.iter().find(|(of, _)| of == resource);
        summaries.map(|(_, summaries)| summaries(self)).unwrap_or_default()
    }

    fn activity(&self) -> Value {
        let wearer = self.wearer;
        let stretches = &self.movement.stretches;
        let sum = |part: fn(&super::movement::Stretch) -> i64| stretches.iter().map(part).sum::<i64>();
        let (steps, distance, energy) = (sum(|of| of.steps), sum(|of| of.distance), sum(|of| of.energy));
        let minutes = |low: f64, high: f64| {
            let within = stretches.iter().filter(|of| low < of.effort && of.effort <= high);
            within.map(|of| of.stop - of.start).sum::<i64>() / 60
        };
        let rates: Vec<i64> = self
            .samples(&ResourceName::Heartrate)
            .iter()
            .filter_map(beats)
            .collect();
        let age = number(self.day) - number(wearer.birth_date);
        // The equation of Mifflin and St Jeor, for the part of the day that is over.
        let basal = 10.0 * self.weight() + 6.25 * wearer.height - 5.0 * age as f64 / 365.25
            + if wearer.is_female { -161.0 } else { 5.0 };
        let basal = basal * (self.until - self.start) as f64 / 86_400.0;
        let heart_rate = average(&rates).map(|average| {
            json!({
                "avg_bpm": average,
                "min_bpm": rates.iter().min(),
                "max_bpm": rates.iter().max(),
                "resting_bpm": wearer.resting + 4.0,
            })
        });
        json!({
            "calendar_date": self.day,
            "steps": steps,
            "distance": distance as f64 / 10.0,
            "daily_movement": distance as f64 / 10.0,
            "calories_active": energy as f64 / 10.0,
            "calories_total": tenths(basal + energy as f64 / 10.0),
            "low": minutes(0.0, 0.12),
            "medium": minutes(0.12, 0.45),
            "high": minutes(0.45, 2.0),
            "floors_climbed": (steps as f64 / 900.0 * wearer.noise.unit(Of::Floors, number(self.day))) as i64,
            "time_zone": wearer.zone,
            "timezone_offset": wearer.clock.offset(self.until - 1),
            "heart_rate": heart_rate,
            "wheelchair_use": false,
        })
    }

    fn body(&self) -> Value {
        let wearer = self.wearer;
        let weight = tenths(self.weight());
        let metres = wearer.height / 100.0;
        let mass_index = weight / (metres * metres);
        let fat = tenths(mass_index * 1.2 - if wearer.is_female { 2.0 } else { 10.0 });
        json!({
            "calendar_date": self.day,
            "weight": weight,
            "fat": fat,
            "water_percentage": tenths((100.0 - fat) * 0.73),
            "muscle_mass_percentage": tenths((100.0 - fat) * 0.94),
            "body_mass_index": tenths(mass_index),
            "lean_body_mass_kilogram": tenths(weight * (1.0 - fat / 100.0)),
        })
    }

    fn sleep(&self, night: &Night) -> Value {
        let wearer = self.wearer;
        let instants: Vec<i64> = night.instants(INTERVAL, night.start, night.stop).collect();
        let rates: Vec<i64> = instants.iter().map(|at| heart::asleep(wearer, night, *at)).collect();
        let mean = |of: fn(&super::Wearer, &Night, i64) -> f64| {
            let sum: f64 = instants.iter().map(|at| of(wearer, night, *at)).sum();
            tenths(sum / instants.len().max(1) as f64)
        };
        let duration = night.stop - night.start;
        let awake = night.time_in(StageKind::Awake);
        let efficiency = tenths((duration - awake) as f64 / duration as f64 * 100.0);
        json!({
            "calendar_date": self.day,
            "bedtime_start": wearer.clock.text(night.start),
            "bedtime_stop": wearer.clock.text(night.stop),
            "timezone_offset": wearer.clock.offset(night.stop),
            "type": "long_sleep",
            "state": if self.until < self.now { "confirmed" } else { "tentative" },
            "duration": duration,
            "total": duration - awake,
            "awake": awake,
            "light": night.time_in(StageKind::Light),
            "rem": night.time_in(StageKind::Rem),
            "deep": night.time_in(StageKind::Deep),
            "latency": night.latency(),
            "efficiency": efficiency,
            "score": (efficiency - 10.0 + 8.0 * wearer.noise.sway(Of::Score, number(self.day))).round(),
            "hr_lowest": rates.iter().min(),
            "hr_average": average(&rates),
            "hr_resting": wearer.resting + 4.0,
            "average_hrv": mean(heart::variability),
            "respiratory_rate": mean(heart::breaths),
            "skin_temperature": tenths(34.2 + 0.6 * wearer.noise.sway(Of::Score, -number(self.day))),
        })
    }

    fn sleep_cycle(&self, night: &Night) -> Value {
        let column = |of: fn(&super::night::Stage) -> i64| night.stages.iter().map(of).collect::<Vec<_>>();
        json!({
            "session_start": self.wearer.clock.text(night.start),
            "session_end": self.wearer.clock.text(night.stop),
            "stage_start_offset_second": column(|stage| stage.from),
            "stage_end_offset_second": column(|stage| stage.to),
            "stage_type": column(|stage| stage.kind.code()),
            "time_zone": self.wearer.zone,
        })
    }

    fn workout(&self, workout: &Workout) -> Value {
        let wearer = self.wearer;
        let stretches = self.movement.stretches.iter().filter(|of| workout.contains(of.start));
        let (mut steps, mut distance, mut energy) = (0, 0, 0);
        for stretch in stretches {
            steps += stretch.steps;
            distance += stretch.distance;
            energy += stretch.energy;
        }
        let instants = (workout.start..workout.stop).step_by(60);
        let rates: Vec<i64> = instants.map(|at| self.heart_rate(at)).collect();
        let highest = wearer.highest_rate(self.day);
        // Seconds below 60, 70, 80 and 90 % of the highest rate, and above that.
        let mut zones = [0; 5];
        for rate in &rates {
            let tenths = (*rate as f64 / highest * 10.0) as usize;
            zones[tenths.saturating_sub(5).min(4)] += 60;
        }
        let seconds = workout.stop - workout.start;
        json!({
            "calendar_date": self.day,
            "provider_id": format!("workout-{}", workout.start),
            "title": workout.sport.name,
            "sport": {"id": workout.sport.id, "name": workout.sport.name, "slug": workout.sport.slug},
            "time_start": wearer.clock.text(workout.start),
            "time_end": wearer.clock.text(workout.stop),
            "timezone_offset": wearer.clock.offset(workout.start),
            "moving_time": seconds,
            "steps": steps,
            "distance": distance as f64 / 10.0,
            "calories": energy as f64 / 10.0,
            "average_speed": (distance as f64 / seconds as f64 * 10.0).round() / 100.0,
            "average_hr": average(&rates),
            "max_hr": rates.iter().max(),
            "hr_zones": zones,
        })
    }

    fn meal(&self, meal: &Meal) -> Value {
        let of = |grams: f64| tenths(grams * meal.servings);
        let (dish, energy) = (meal.dish, |carbs, protein, fat| 4.0 * carbs + 4.0 * protein + 9.0 * fat);
        let (carbs, protein, fat) = (of(dish.carbs), of(dish.protein), of(dish.fat));
        let energy = json!({"unit": "kcal", "value": tenths(energy(carbs, protein, fat))});
        let macros = json!({
            "carbs": carbs,
            "protein": protein,
            "fats": {"total": fat},
            "sugar": of(dish.sugar),
            "fibre": of(dish.fibre),
        });
        json!({
            "provider_id": format!("meal-{}", meal.at),
            "timestamp": self.wearer.clock.text(meal.at),
            "name": meal.name,
            "energy": energy,
            "macros": macros,
            "data": {dish.name: {"energy": energy, "macros": macros}},
            "priority_id": 1,
            "source_id": 1,
        })
    }

    /// Returns an electrocardiogram of half a minute at rest, about twice a week.
    fn electrocardiogram(&self) -> Option<Value> {
        let (noise, at) = (self.wearer.noise, number(self.day));
        let start = self.start + 11 * 3_600 + (noise.unit(Of::Electrocardiogram, -at) * 1_800.0) as i64;
        if !noise.percent(Of::Electrocardiogram, at, 30.0) || start + 30 > self.until {
            return None;
        }
        let classification = match noise.percent(Of::Electrocardiogram, start, 95.0) {
            true => json!("sinus_rhythm"),
            false => json!("inconclusive"),
        };
        Some(json!({
            "session_start": self.wearer.clock.text(start),
            "session_end": self.wearer.clock.text(start + 30),
            "voltage_sample_count": 30 * 512,
            "sampling_frequency_hz": 512,
            "heart_rate_mean": self.heart_rate(start),
            "inconclusive_cause": (classification == "inconclusive").then_some("poor_reading"),
            "classification": classification,
            "algorithm_version": "2",
            "time_zone": self.wearer.zone,
        }))
    }
}

fn beats(sample: &wearlab_ingest::Sample) -> Option<i64> {
    match sample.value {
        SampleValue::One(Number::Decimal { mantissa, .. }) => Some(mantissa),
        _ => None,
    }
}

fn average(rates: &[i64]) -> Option<f64> {
    let count = rates.len() as f64;
    (!rates.is_empty()).then(|| tenths(rates.iter().sum::<i64>() as f64 / count))
}

/// Rounds to one decimal.
fn tenths(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}
