//! Conversion of Oura's documents.
//!
//! | document | value | conversion |
//! |---|---|---|
//! | `daily_activity` | `activity` of the `day` | times of low, medium and high activity from s to minutes; `equivalent_walking_distance` is `daily_movement`, since it is not measured; `timezone_offset` from `timestamp` |
//! | `sleep` | `sleep` of the `day`, which is that of waking | types: `long_sleep`, `sleep` is `short_sleep`, `late_nap` is `acknowledged_nap`, others are `unknown` |
//! | `sleep.readiness` | `recovery_readiness_score`, `temperature_delta` of the sleep | the longest `long_sleep` of a day has the score of `daily_readiness` where its own is missing |
//! | `daily_sleep.score` | `score` of the longest `long_sleep` of the day | |
//! | `sleep.sleep_phase_30_sec`, else `sleep_phase_5_min` | `sleep_cycle` | equal neighbours are one stage |
//! | `sleep.hrv` | `hrv`, in ms (RMSSD) | a sample each interval; those without a value are left out |
//! | `sleep.average_breath` | `respiratory_rate`, in breaths a minute | a sample at the end of the sleep |
//! | `daily_readiness.temperature_deviation` | `body_temperature_delta`, in °C | a sample at `timestamp` |
//! | `heartrate` | `heartrate`, in bpm | times are in UTC, and so are the days |
//! | `daily_spo2` | `blood_oxygen`, in % | a sample of the day, see below |
//! | `vO2_max` | `vo2_max`, in mL/kg/min | |
//! | `workout` | `workouts` | `label` is the title, `activity` the sport |
//! | `personal_info` | `profile`: `height` from m to cm, `sex` | |
//!
//! Without a counterpart, and not read: `score`, `class_5_min`, `met` and the times without activity of `daily_activity`;
//! `movement_30_sec`, `restless_periods`, `period` and `low_battery_alert` of `sleep`; `temperature_trend_deviation`;
//! `breathing_disturbance_index`; `source` of `heartrate`; `intensity` and `source` of `workout`; `age` and `email`;
//! `weight` of `personal_info`, which has no time: it would be a new one each day.
//!
//! **Rejected and deleted sleeps** (types `rest` and `deleted`) are skipped; what was stored before under their ids is not
//! deleted yet.
//!
//! **Durations of a sleep** that are null are counted from its stages. Without stages, they are 0, since `sleep` requires
//! them.
//!
//! **A value of a day without a time** is at 10:00 UTC, which is of the same day from Honolulu to Auckland. A time without
//! an offset would be another sample after the user moves.

mod days;
mod person;
mod samples;
mod sleep;
mod stages;

pub use self::days::{activity, blood_oxygen, body_temperature_delta, heart_rate, vo2_max};
pub use self::person::{person, workout};
pub use self::sleep::nights;
