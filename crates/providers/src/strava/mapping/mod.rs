//! Conversion of Strava's activities.
//!
//! | Strava | value | conversion |
//! |---|---|---|
//! | `id` of an activity | `workouts.provider_id` | text |
//! | `name` | `title` | |
//! | `start_date`, and `elapsed_time` | `time_start`, `time_end` | written with the offset |
//! | `utc_offset` | `timezone_offset`, in s | where it is missing, the difference of `start_date_local` and `start_date` |
//! | date of `start_date_local` | `calendar_date` | its `Z` is false: it is the local time |
//! | `sport_type`, else `type` | `sport` | |
//! | `distance`, `total_elevation_gain`, `elev_high`, `elev_low`, in m; `moving_time`, in s; `average_speed`, `max_speed`, in m/s; `average_watts`, `max_watts`, `weighted_average_watts`, in W | the same names | |
//! | `average_watts` where `device_watts` is true | `device_watts`, in W | theirs is a boolean |
//! | `average_heartrate`, `max_heartrate` | `average_hr`, `max_hr`, in bpm | reads round them |
//! | `calories`, else `kilojoules` of a ride | `calories`, in kcal | the work in kJ is about the energy in kcal |
//! | `map.polyline`, `map.summary_polyline` | `map` | empty ones are left out |
//! | stream `heartrate` | `heartrate`, in bpm | a sample at the start and `time`; 0 is a gap |
//! | stream `distance`, which is counted from the start | `workout_distance`, in m | the difference of neighbours, from the one to the other |
//! | stream `watts` | `workout_power`, in W | a sample at the start and `time`; null is a gap |
//! | `sex` of the athlete | `profile.sex` | `M` is `male`, `F` is `female` |
//!
//! Without a counterpart, and not kept: streams of place, altitude, speed, cadence, temperature, motion and grade;
//! `average_cadence`, `trainer`, `commute`, `manual`, `private`, `description`, `external_id`, `upload_id`, `device_name`;
//! `ftp`, the name and `measurement_preference` of the athlete; their `weight`, which has no time: it would be a new one
//! each day.
//!
//! **Zones of heart rate** are not read: they would be a third request for each activity, and need a subscription of the
//! person.
//!
//! **Copies** of workouts of other providers (`external_id` begins with `garmin_push_`, for example) are kept: the source
//! of all values is `app`.

mod athlete;
mod samples;
mod workout;

pub use self::athlete::athlete;
pub use self::samples::samples;
pub use self::workout::{day, workout};
