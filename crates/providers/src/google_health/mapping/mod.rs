//! Conversion of Google Health's points and sums.
//!
//! | point | value | conversion |
//! |---|---|---|
//! | sums of a day: `steps`, `floors`, `distance`, `activeEnergyBurned`, `totalCalories` | `activity` of the day: `steps`, `floors_climbed`, `distance`, `calories_active`, `calories_total` | from mm to m |
//! | `activeMinutes` of a day | `activity.low`, `medium`, `high` | `LIGHT`, `MODERATE`, `VIGOROUS` |
//! | `heartRate` of a day, `DailyRestingHeartRate` | `activity.heart_rate` | |
//! | `Sleep` | `sleep` of the local day of its end | from minutes to s; `nap` is `acknowledged_nap`, all else `long_sleep`; `processed` is the state `confirmed`, else `tentative`; `efficiency` is `minutesAsleep` of `minutesInSleepPeriod` in % |
//! | `DailyHeartRateVariability`, `DailyRespiratoryRate`, `DailySleepTemperature` | `average_hrv`, `respiratory_rate`, `skin_temperature`, `temperature_delta` of the longest `long_sleep` of the day | |
//! | `Sleep.stages` | `sleep_cycle` | `DEEP` 1, `LIGHT` 2, `REM` 3, `AWAKE` 4, `ASLEEP` 5, `RESTLESS` and others -1 |
//! | `Exercise` | `workouts` of the local day of its start | `exerciseType` is the sport; from mm to m, from mm/s to m/s |
//! | `HeartRate`, `HeartRateVariability`, `OxygenSaturation` | `heartrate`, `hrv` (RMSSD, in ms), `blood_oxygen` | |
//! | `Steps`, `Distance` | `steps`, `distance` | spans; from mm to m |
//! | `Weight`, `BodyFat` | `weight`, `fat`, and `body` of the day, with those of one time together | from g to kg |
//! | `CoreBodyTemperature`, `BloodGlucose` | `body_temperature`, `glucose` | mg/dL / 18.0182 in mmol/L, in thousandths |
//! | `HydrationLog` | `water`, in mL | at its start |
//! | `DailyVo2Max` | `vo2_max` | a sample of the day, at 10:00 UTC |
//! | `Height` | `profile.height` | the newest one, however old; from mm to cm |
//!
//! Without a counterpart, and not read: `standardDeviationMilliseconds`, the bounds of `DailyOxygenSaturation` and its average,
//! since there are samples, `nonRemHeartRateBeatsPerMinute`, `minutesAfterWakeUp`, `notes`, and `age`.
//!
//! **A point with a number, a duration or an offset that cannot be read** is left out, with a warning in the log.
//!
//! **Times** have the offset of the person; where it is missing, they are in UTC. Days are those of the local times.

mod days;
mod numbers;
mod samples;
mod sleep;
mod times;
mod workouts;

pub use self::days::{activity, vo2_max};
pub use self::samples::{bodies, height, samples};
pub use self::sleep::sleeps;
pub use self::workouts::workouts;
