//! Made-up nights, naps, recoveries and workouts.

use chrono::{FixedOffset, NaiveDate, TimeDelta};
use uuid::Uuid;
use wearlab_models::DateTime;

use super::super::generated::models::{
    Recovery, RecoveryScore, ScoreState, Sleep, SleepNeeded, SleepScore, StageSummary, Workout, WorkoutScore,
    ZoneDurations,
};
use crate::simulated::local_time::local_time;
use crate::simulated::noise::Noise;

/// Id of the person.
pub(super) const USER: i64 = 4_242;
const MINUTE: i64 = 60_000;

fn id(noise: Noise) -> Uuid {
    let half = |index| noise.derive(index).within(1..i64::MAX).unsigned_abs();
    Uuid::from_u64_pair(half(1), half(2))
}

fn is_scored(state: &ScoreState) -> bool {
    *state == ScoreState::Scored
}

/// Makes the night that ends on a day. It begins on the day before.
pub(super) fn night(noise: Noise, offset: FixedOffset, day: NaiveDate, cycle: i64, state: ScoreState) -> Sleep {
    let noise = noise.derive(100);
    let start = local_time(offset, day, -noise.derive(1).within(10..120));
    let minutes = noise.derive(2).within(390..510);
    sleep(noise, (start, minutes), cycle, state, false)
}

/// Makes a nap in the afternoon of a day.
pub(super) fn nap(noise: Noise, offset: FixedOffset, day: NaiveDate, cycle: i64) -> Sleep {
    let noise = noise.derive(200);
    let start = local_time(offset, day, noise.derive(1).within(780..1_000));
    let minutes = noise.derive(2).within(20..60);
    sleep(noise, (start, minutes), cycle, ScoreState::Scored, true)
}

fn sleep(noise: Noise, (start, minutes): (DateTime, i64), cycle: i64, score_state: ScoreState, nap: bool) -> Sleep {
    let in_bed = minutes * MINUTE;
    let part = |index, range: std::ops::Range<i64>| in_bed * noise.derive(index).within(range) / 100;
    let (awake, deep, rem) = (part(3, 2..12), part(4, 12..25), part(5, 12..25));
    let score = is_scored(&score_state).then(|| SleepScore {
        stage_summary: StageSummary {
            total_in_bed_time_milli: in_bed,
            total_awake_time_milli: awake,
            total_no_data_time_milli: Some(0),
            total_light_sleep_time_milli: in_bed - awake - deep - rem,
            total_slow_wave_sleep_time_milli: deep,
            total_rem_sleep_time_milli: rem,
            sleep_cycle_count: Some(minutes / 90),
            disturbance_count: Some(noise.derive(6).within(0..15)),
        },
        sleep_needed: Some(SleepNeeded {
            baseline_milli: Some(450 * MINUTE),
            need_from_sleep_debt_milli: Some(0),
            need_from_recent_strain_milli: Some(0),
            need_from_recent_nap_milli: Some(0),
        }),
        respiratory_rate: Some(noise.derive(7).within(120..180) as f64 / 10.0),
        sleep_performance_percentage: Some(noise.derive(8).within(50..101) as f64),
        sleep_consistency_percentage: (!nap).then_some(81.0),
        sleep_efficiency_percentage: Some((in_bed - awake) as f64 * 100.0 / in_bed as f64),
    });
    let end = start + TimeDelta::minutes(minutes);
    Sleep {
        id: id(noise),
        cycle_id: Some(cycle),
        user_id: USER,
        created_at: end.to_utc().fixed_offset(),
        updated_at: end.to_utc().fixed_offset(),
        start: start.to_utc().fixed_offset(),
        end: end.to_utc().fixed_offset(),
        timezone_offset: start.offset().to_string(),
        nap,
        score_state,
        score,
    }
}

/// Makes the recovery after a night. It has values if the night has.
pub(super) fn recovery(noise: Noise, night: &Sleep, cycle: i64) -> Recovery {
    let noise = noise.derive(300);
    let score = is_scored(&night.score_state).then(|| RecoveryScore {
        user_calibrating: false,
        recovery_score: noise.derive(1).within(1..101) as f64,
        resting_heart_rate: noise.derive(2).within(42..65) as f64,
        hrv_rmssd_milli: noise.derive(3).within(200_000..1_200_000) as f64 / 10_000.0,
        spo2_percentage: (!noise.derive(4).is_one_in(7)).then(|| noise.derive(4).within(9_300..9_950) as f64 / 100.0),
        skin_temp_celsius: Some(noise.derive(5).within(320..360) as f64 / 10.0),
    });
    Recovery {
        cycle_id: cycle,
        sleep_id: night.id,
        user_id: USER,
        created_at: night.end,
        updated_at: night.end,
        score_state: night.score_state.clone(),
        score,
    }
}

/// Makes a workout of a day.
pub(super) fn workout(noise: Noise, offset: FixedOffset, day: NaiveDate) -> Workout {
    let noise = noise.derive(400);
    let sports = ["running", "cycling", "yoga", "activity"];
    let sport = sports[noise.derive(1).within(0..4).unsigned_abs() as usize % sports.len()];
    // Some end shortly before midnight, which is the next day in UTC in the west of it.
    let start = local_time(offset, day, noise.derive(2).within(500..1_370));
    let minutes = noise.derive(3).within(20..69);
    let end = start + TimeDelta::minutes(minutes);
    let average_heart_rate = noise.derive(4).within(100..150);
    let is_outdoors = matches!(sport, "running" | "cycling");
    let zone = minutes * MINUTE / 8;
    Workout {
        id: id(noise),
        user_id: USER,
        created_at: end.to_utc().fixed_offset(),
        updated_at: end.to_utc().fixed_offset(),
        start: start.to_utc().fixed_offset(),
        end: end.to_utc().fixed_offset(),
        timezone_offset: offset.to_string(),
        sport_name: Some(sport.to_owned()),
        score_state: ScoreState::Scored,
        score: Some(WorkoutScore {
            strain: noise.derive(5).within(20..150) as f64 / 10.0,
            average_heart_rate,
            max_heart_rate: average_heart_rate + noise.derive(6).within(10..40),
            kilojoule: minutes as f64 * 31.4,
            percent_recorded: Some(100.0),
            distance_meter: is_outdoors.then_some(minutes as f64 * 150.0),
            altitude_gain_meter: is_outdoors.then(|| noise.derive(7).within(0..300) as f64),
            altitude_change_meter: is_outdoors.then_some(0.0),
            zone_durations: Some(ZoneDurations {
                zone_zero_milli: zone,
                zone_one_milli: 2 * zone,
                zone_two_milli: 2 * zone,
                zone_three_milli: 2 * zone,
                zone_four_milli: zone,
                zone_five_milli: 0,
            }),
        }),
    }
}
