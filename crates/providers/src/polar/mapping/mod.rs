//! Conversion of Polar's documents.
//!
//! | document | value | conversion |
//! |---|---|---|
//! | `Sleep` | `sleep` of the `date`, which is that of waking, and its `provider_id` | `long_sleep`; `total_interruption_duration` is `awake`; `total` is the sum of the stages with the unrecognized one |
//! | `Sleep.hypnogram` | `sleep_cycle` | 0 awake, 1 REM, 2 and 3 light, 4 deep, others unknown, each until the next; equal neighbours are one stage |
//! | `NightlyRecharge.heart_rate_avg`, `heart_rate_variability_avg`, `breathing_rate_avg` | `hr_average`, `average_hrv`, `respiratory_rate` of the sleep of the `date` | |
//! | `NightlyRecharge.hrv_samples`, `breathing_samples` | `hrv`, in ms (RMSSD), `respiratory_rate`, in breaths a minute | |
//! | `SkinTemperature` | `temperature_delta`, `skin_temperature` of the sleep of the `sleep_date`, in °C | |
//! | `Activity` | `activity` of the day of its samples, or else of its start | `distance_from_steps` is `distance` |
//! | `Activity.samples.activity_zones` | `low`, `medium`, `high`, in minutes | light, moderate and vigorous zones, each until the next |
//! | `Activity.samples.steps` | `steps` | each for `interval_ms`; one that is not 0 is repeated until the next, up to `total_steps` |
//! | `ContinuousHeartRate` | `heartrate`, in bpm | 0 is a gap |
//! | `Exercise` | `workouts` of the local day of its start | min to s; `detailed_sport_info`, else `sport`; zones by `index`, in s; `route` as an encoded polyline |
//! | `Exercise.samples` of the types 0, 10, 4 | `heartrate`, in bpm, `workout_distance`, in m, `workout_power`, in W | start, and a `recording-rate` each; `null` is a gap, and a heart rate of 0; distances are the differences of neighbours |
//! | `BodyTemperature` | `body_temperature`, in °C | `type` and `sensor_location` are `skin` or `core`, by `measurement_type`; times and days are those of UTC |
//! | `Spo2Test` | `blood_oxygen`, in % | tests that passed alone |
//! | `Ecg` | `electrocardiogram`, `electrocardiogram_voltage`, in mV | |
//! | `PhysicalInfo` | `profile`: `height`, in cm, `birth_date`, `gender`; at `modified`, else `created`: `body.weight` and `weight`, in kg, `vo2_max`, in mL/kg/min | |
//!
//! Without a counterpart, and not kept: `ans_charge`, `nightly_recharge_status`, `beat_to_beat_avg`, `sleep_charge`, `continuity`,
//! `sleep_cycles`; `daily_activity`, `active_duration`, `inactive_duration`; `training_load`, samples of other types, `device`
//! and `device_id`; `maximum_heart_rate`, and `resting_heart_rate`, which belongs to no day; heart rate and its variability of
//! tests.
//!
//! **Heart rate of a night** (`Sleep.heart_rate_samples`) is not kept, since `ContinuousHeartRate` has it, too.
//!
//! **Local times** without an offset have that of the night that ended on their day, or of the nearest one, up to a week away.
//! Other times stay local: they are read in the user's time zone. On the night of a clock change, times before 01:00 UTC in
//! Europe, and before 02:00 elsewhere, have the offset of the start; of a time that is there twice, the first is meant.
//!
//! **A record with a time or a duration that cannot be read** is left out, with a warning in the log: a sample of
//! `ContinuousHeartRate`, and else all of the day, the night or the exercise.
//!
//! **Durations of a sleep** that are null are counted from its stages. Without stages, they are 0, since `sleep` requires them.

mod activity;
mod clocks;
mod exercises;
mod measurements;
mod person;
mod polyline;
mod sleep;
mod times;

pub use self::activity::{activity, continuous_heart_rate, day_of};
pub use self::clocks::Clocks;
pub use self::exercises::{day_of_exercise, exercise};
pub use self::measurements::{blood_oxygen, body_temperature, electrocardiogram};
pub use self::person::physical_info;
pub use self::sleep::nights;
