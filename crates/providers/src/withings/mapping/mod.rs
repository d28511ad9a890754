//! Conversion of Withings' data.
//!
//! | record | value | conversion |
//! |---|---|---|
//! | `Measure` | | `value` times 10 to the power of `unit` |
//! | types 1, 6, 170 of a group | `body`: `weight` in kg, `fat` in %, `visceral_fat_index` | of the local day of `date`; `provider_id` is `grpid` |
//! | type 5 | `body.lean_body_mass_kilogram` | |
//! | types 76, 77, 88 | `body`: `muscle_mass_percentage`, `water_percentage`, `bone_mass_percentage` | from kg to % of type 1 of the group, in hundredths |
//! | types 1, 6, 5 | `weight`, `fat`, `lean_body_mass` | samples at `date` |
//! | types 9 and 10 of a group | `blood_pressure`, in mmHg | |
//! | type 123 | `vo2_max`, in mL/kg/min | |
//! | type 4 | `profile.height` | the newest one, from m to cm |
//! | type 11 | `heartrate`, in bpm | |
//! | types 71 or else 12, and 73 | `body_temperature`, in °C | 73 has the `type` and the `sensor_location` `skin` |
//! | type 54 | `blood_oxygen`, in % | |
//! | `Activity` | `activity` of its `date` | `soft`, `moderate`, `intense` are `low`, `medium`, `high`, from s to minutes; `elevation` is `floors_climbed`; `timezone_offset` is that of noon |
//! | `Night` | `sleep` of its `date`, which is that of waking | `sleep_efficiency` from a share to %; `average_hrv` is the mean of `rmssd_start_avg` and `rmssd_end_avg`; `completed` is the state `confirmed`, else `tentative`; the type is `unknown` |
//! | `Stage.state` of a night | `sleep_cycle` | 0 and 15 are 4 (awake), 1 is 2 (light), 2 is 1 (deep), 3 is 3 (REM), 4 and 5 are 5 (asleep) |
//! | `Stage.hr`, `rr`, `rmssd`; `IntradaySample.heart_rate`, `rr`, `rmssd` | `heartrate`, `respiratory_rate`, `hrv` in ms | 0 was not measured |
//! | `IntradaySample.spo2_auto`, `core_body_temperature` | `blood_oxygen`, `body_temperature` | 0 was not measured |
//! | `IntradaySample.steps`, `distance`, `calories` | `steps`, `distance` in m, `calories_active` in kcal | spans of `duration` |
//! | `IntradaySample.elevation` | `floors_climbed` | |
//! | `Workout` | `workouts` of its `date` | `category` is the sport; `moving_time` is without `pause_duration`; `manual_calories` and `manual_distance` where the others are 0; 0 was not measured |
//! | `HeartRecord` with `ecg`, its signal | `electrocardiogram`, `electrocardiogram_voltage` | `afib`: 0 is `sinus_rhythm`, 1 `atrial_fibrillation`, 2 `inconclusive`; from µV to mV |
//!
//! Without a counterpart, and not read: types 8, 91, 155, 168, 169, 173 to 175, 226 and 227; the zones of heart rate of a day;
//! `sdnn1` and `sdnn_1`; `snoring`, `apnea_hypopnea_index`, `waso`, `wakeupcount` and `core_body_temperature_avg` of a night;
//! `elevation` (in floors), `intensity`, `spo2_average`, strokes and laps of a workout. Pressures of `HeartRecord` are those of
//! the groups.
//!
//! **Skipped**: goals; groups with the `attrib` 1, which may be of another person on the same scale, and 4, a guess at the
//! registration, but for the height; days of `brand` 18, which are copies from other services; a pressure without the other
//! one.
//!
//! **Sources** follow from what was measured: a group with a weight is of a `scale`, one with pressures of a `cuff`, one that
//! was entered (`attrib` 2) of the `app`, temperatures and nights of a mat (`model` 32) are `unknown`, days that no device
//! counted are of the `app`, and all else is of a `watch`.
//!
//! **A record with a time that cannot be read** is left out, with a warning in the log, and so is a night longer than 3 days.
//!
//! **Times** are seconds since 1970. Where a record has a zone, they get its offset then, which is `timezone_offset`, too; samples
//! have none, and are in UTC, and so are their days. The day of a group is that in the zone of the response.
//!
//! **Durations of a night** that are null are 0, since `sleep` requires them, but `duration` is the time between its ends, and
//! `total` that without stages (`asleepduration`), or the sum of the stages.

mod activity;
mod electrocardiograms;
mod intraday;
mod measures;
mod night;
mod numbers;
mod stages;
mod times;
mod workouts;

pub use self::activity::activity;
pub use self::electrocardiograms::electrocardiogram;
pub use self::intraday::{identity, intraday};
pub use self::measures::{body, height, vitals};
pub use self::night::{night_day, sleep};
pub use self::stages::{sleep_cycle, stage_samples};
pub use self::workouts::workout;
