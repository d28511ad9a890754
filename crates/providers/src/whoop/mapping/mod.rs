//! Conversion of WHOOP's records.
//!
//! | record | value | conversion |
//! |---|---|---|
//! | `cycle` | `activity` of the day on which its main sleep ends | `kilojoule` / 4.184 is `calories_total`, in kcal, rounded to 0.001; `average_heart_rate` and `max_heart_rate` are of `heart_rate`; `timezone_offset` from `+hh:mm` to s |
//! | `recovery.resting_heart_rate` | `heart_rate.resting_bpm` of the cycle that its sleep begins, `hr_resting` of the sleep | |
//! | `sleep` | `sleep` of the day on which it ends | times from UTC to the offset; `nap` is `acknowledged_nap`, others are `long_sleep`; times of stages from ms to s, slow wave sleep is `deep`; `sleep_performance_percentage` is `score` |
//! | `recovery` | `recovery_readiness_score`, `average_hrv` and `skin_temperature` of its sleep | %, ms, °C |
//! | `recovery.hrv_rmssd_milli` | `hrv`, in ms (RMSSD) | a sample at the end of the sleep |
//! | `recovery.spo2_percentage` | `blood_oxygen`, in % | a sample at the end of the sleep |
//! | `recovery.skin_temp_celsius` | `body_temperature`, in °C | a sample at the end of the sleep; `sensor_location` is `wrist` |
//! | `sleep.respiratory_rate` | `respiratory_rate`, in breaths a minute | a sample at the end of the sleep |
//! | `workout` | `workouts` of the day on which it starts | `kilojoule` / 4.184 is `calories`, in kcal, rounded to 0.001; `zone_durations` are `hr_zones`, six, from ms to s; `altitude_gain_meter` is `total_elevation_gain` |
//! | `body_measurement.height_meter` | `profile`: `height` | m to cm |
//!
//! Without a counterpart, and not read: `strain`; `percent_recorded` and `altitude_change_meter` of a workout;
//! `sleep_needed`, `sleep_consistency_percentage`, `total_no_data_time_milli`, `sleep_cycle_count` and `disturbance_count` of
//! a sleep; `user_calibrating` of a recovery; `max_heart_rate` of `body_measurement`; names and address of the person;
//! `weight_kilogram`, which has no time: it would be a new one each day.
//!
//! **Days.** A cycle runs from one main sleep to the next, and its day is that of the end of its main sleep, in the offset
//! of that sleep. One without such a sleep is of the day that its 13th hour belongs to. The values of the current cycle, which
//! has no end, grow. After a flight over the date line, there are two of one date, or none.
//!
//! **Scores.** Only records whose `score_state` is `SCORED` have values. Other cycles and recoveries are left out. Other
//! sleeps and workouts have their times, and durations of stages of 0, since `sleep` requires them: a sleep is `tentative`
//! while its score is pending, and `confirmed` if it cannot be scored.
//!
//! **An offset that cannot be read** leaves times in UTC, and no `timezone_offset`.
//!
//! Deleted records are missing from their lists: a notice removes them. Samples of a sleep that is deleted, or whose end is
//! edited, stay.

mod cycles;
mod local;
mod profile;
mod sleep;
mod units;
mod workout;

pub use self::cycles::cycles;
pub use self::profile::profile;
pub(super) use self::sleep::day as day_of_sleep;
pub(super) use self::workout::day as day_of_workout;
pub use self::workout::workout;
