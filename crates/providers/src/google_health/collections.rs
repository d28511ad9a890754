//! Collections, and the readings of each.

use wearlab_connect::{Collection, Reading, Refusal, Span};
use wearlab_models::ResourceName;

use super::mapping;
use super::requests::Requests;
use crate::days::{days_after, days_before};

/// Nights are corrected for days, and a phone may synchronise a week late.
const LOOK_BACK_DAYS: u32 = 8;
/// Days of a request for energy and active minutes, which is of 14 at most, with a day before and two after them.
const SHORT_WINDOW_DAYS: u32 = 11;
/// Days of other requests, which are of 90 at most.
const WINDOW_DAYS: u32 = 30;

const HOUR: u32 = 3_600;

const ACTIVITY: &str = "https://www.googleapis.com/auth/googlehealth.activity_and_fitness.readonly";
const METRICS: &str = "https://www.googleapis.com/auth/googlehealth.health_metrics_and_measurements.readonly";
const NUTRITION: &str = "https://www.googleapis.com/auth/googlehealth.nutrition.readonly";
const SLEEP: &str = "https://www.googleapis.com/auth/googlehealth.sleep.readonly";

/// Types of points that are summed by day.
const SUMMED: [&str; 7] = [
    "steps",
    "floors",
    "distance",
    "active-energy-burned",
    "total-calories",
    "active-minutes",
    "heart-rate",
];
/// Types of samples.
const MEASURED: [&str; 6] = [
    "heart-rate-variability",
    "oxygen-saturation",
    "weight",
    "body-fat",
    "core-body-temperature",
    "blood-glucose",
];

const fn collection(
    name: &'static str,
    resources: &'static [ResourceName],
    scopes: &'static [&'static str],
    window_days: u32,
) -> Collection {
    Collection {
        name,
        resources,
        scopes,
        window_days,
        look_back_days: LOOK_BACK_DAYS,
        pace_seconds: HOUR,
        has_history: true,
    }
}

pub(super) static COLLECTIONS: &[Collection] = &[
    collection(
        "activity",
        &[ResourceName::Activity],
        &[ACTIVITY, METRICS],
        SHORT_WINDOW_DAYS,
    ),
    collection(
        "sleep",
        &[ResourceName::Sleep, ResourceName::SleepCycle],
        &[SLEEP, METRICS],
        WINDOW_DAYS,
    ),
    collection("workouts", &[ResourceName::Workouts], &[ACTIVITY], WINDOW_DAYS),
    // A point every few seconds: tens of thousands a day.
    Collection {
        look_back_days: 3,
        pace_seconds: 4 * HOUR,
        ..collection("heartrate", &[ResourceName::Heartrate], &[METRICS], 3)
    },
    collection(
        "movement",
        &[ResourceName::Steps, ResourceName::Distance],
        &[ACTIVITY],
        WINDOW_DAYS,
    ),
    collection(
        "measurements",
        &[
            ResourceName::Hrv,
            ResourceName::BloodOxygen,
            ResourceName::Body,
            ResourceName::Weight,
            ResourceName::Fat,
            ResourceName::BodyTemperature,
            ResourceName::Glucose,
        ],
        &[METRICS],
        WINDOW_DAYS,
    ),
    collection("vo2_max", &[ResourceName::Vo2Max], &[ACTIVITY], WINDOW_DAYS),
    collection("hydration", &[ResourceName::Water], &[NUTRITION], WINDOW_DAYS),
    Collection {
        name: "profile",
        resources: &[ResourceName::Profile],
        scopes: &[METRICS],
        // The newest height, however old it is.
        window_days: 1,
        look_back_days: 1,
        pace_seconds: 24 * HOUR,
        has_history: false,
    },
];

/// Reads the values of a collection in a span of days.
pub(super) async fn read(requests: &Requests<'_>, collection: &str, span: Span) -> Result<Vec<Reading>, Refusal> {
    // Days of the person begin and end up to 14 hours from those of UTC.
    let wide = Span {
        first: days_before(span.first, 1),
        last: days_after(span.last, 1),
    };
    let mut readings = match collection {
        "activity" => {
            let mut sums = Vec::new();
            for data_type in SUMMED {
                sums.extend(requests.daily_sums(data_type, span).await?);
            }
            let resting = requests.days("daily-resting-heart-rate", span).await?;
            mapping::activity(&sums, &resting)?
        }
        "sleep" => {
            let sleeps = requests.sleeps(wide).await?;
            let mut days = Vec::new();
            for data_type in [
                "daily-heart-rate-variability",
                "daily-respiratory-rate",
                "daily-sleep-temperature-derivations",
            ] {
                days.extend(requests.days(data_type, wide).await?);
            }
            mapping::sleeps(&sleeps, &days)?
        }
        "workouts" => mapping::workouts(&requests.exercises(wide).await?)?,
        "heartrate" => mapping::samples(&requests.samples("heart-rate", wide).await?)?,
        "movement" => {
            let mut points = requests.intervals("steps", wide).await?;
            points.extend(requests.intervals("distance", wide).await?);
            mapping::samples(&points)?
        }
        "measurements" => {
            let mut points = Vec::new();
            for data_type in MEASURED {
                points.extend(requests.samples(data_type, wide).await?);
            }
            let mut readings = mapping::samples(&points)?;
            readings.extend(mapping::bodies(&points));
            readings
        }
        "vo2_max" => mapping::vo2_max(&requests.days("daily-vo2-max", span).await?),
        "hydration" => mapping::samples(&requests.intervals("hydration-log", wide).await?)?,
        "profile" => {
            let heights = requests.all("height").await?;
            mapping::height(&heights, span.last)?.into_iter().collect()
        }
        other => return Err(Refusal::Failed(format!("Google Health has no collection {other}"))),
    };
    readings.retain(|reading| span.contains(reading.day));
    Ok(readings)
}
