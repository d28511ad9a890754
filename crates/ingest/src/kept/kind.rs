//! Kinds of resources: summaries, and time series with their units.

use wearlab_models::ResourceName;

/// Kind of the values of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataKind {
    /// Summaries, each of a day or a session.
    Summary,
    /// Samples of a time series, all in one unit.
    Samples {
        /// Unit of the samples.
        unit: &'static str,
    },
    /// Neither summaries nor samples: sent only as events.
    Other,
}

impl DataKind {
    /// Returns the kind of the values of a resource.
    pub fn of(resource: &ResourceName) -> Self {
        use ResourceName as R;
        match resource {
            R::Activity
            | R::Body
            | R::Sleep
            | R::SleepCycle
            | R::Workouts
            | R::Meal
            | R::MenstrualCycle
            | R::Electrocardiogram
            | R::Profile => Self::Summary,
            resource => unit_of(resource).map_or(Self::Other, |unit| Self::Samples { unit }),
        }
    }
}

/// Returns the arrival for data of a documented resource that `data` does not accept: its values would not be stored.
pub(crate) fn other_arrival(resource: &ResourceName) -> Option<&'static str> {
    use ResourceName as R;
    Some(match resource {
        R::WorkoutStream => "samples of a workout come as heartrate, distance and other time series",
        R::SleepStream => "samples of a night come as heartrate, hrv and other time series",
        R::Connection => "connections come as connection_made",
        R::Device | R::DeviceLegacy => "devices come as device",
        R::Order => "steps of orders come as lab_order_updated",
        R::Result | R::Ige | R::Igg => "results of labs come as lab_result",
        R::Appointment => "appointments are steps of orders, which come as lab_order_updated",
        _ => return None,
    })
}

/// Returns the unit of the samples of a resource, if it is a time series: `unit` of `Sample` in `spec/timeseries.yaml`.
pub fn unit_of(resource: &ResourceName) -> Option<&'static str> {
    use ResourceName as R;
    Some(match resource {
        R::Steps
        | R::FloorsClimbed
        | R::Handwashing
        | R::InhalerUsage
        | R::Fall
        | R::WheelchairPush
        | R::StandHour
        | R::HeartRateAlert
        | R::SleepApneaAlert
        | R::SleepBreathingDisturbance
        | R::WorkoutSwimmingStroke
        | R::HeartRateRecoveryOneMinute => "count",
        R::Distance | R::WorkoutDistance => "m",
        R::CaloriesActive | R::CaloriesBasal => "kcal",
        R::Weight | R::LeanBodyMass => "kg",
        R::Fat | R::AfibBurden | R::BloodOxygen | R::StressLevel => "%",
        R::BodyTemperature | R::BodyTemperatureDelta | R::BasalBodyTemperature => "°C",
        R::Heartrate | R::RespiratoryRate => "bpm",
        R::Hrv => "rmssd",
        R::Glucose | R::Cholesterol => "mmol/L",
        R::BloodPressure => "mmHg",
        R::Water => "mL",
        R::Carbohydrates => "g",
        R::Caffeine => "mg",
        R::MindfulnessMinutes | R::DaylightExposure | R::StandDuration | R::WorkoutDuration => "min",
        R::ForcedExpiratoryVolume1 | R::ForcedVitalCapacity => "L",
        R::PeakExpiratoryFlowRate => "L/min",
        R::Vo2Max => "mL/kg/min",
        R::UvExposure | R::BodyMassIndex => "index",
        R::WaistCircumference => "cm",
        R::ElectrocardiogramVoltage => "mV",
        R::InsulinInjection => "unit",
        R::Note => "text",
        _ => return None,
    })
}

/// Returns the members of a value that are times, those of a session first.
pub(crate) fn times_of(resource: &ResourceName) -> &'static [&'static str] {
    match resource {
        ResourceName::Sleep => &["bedtime_start", "bedtime_stop"],
        ResourceName::SleepCycle | ResourceName::Electrocardiogram => &["session_start", "session_end"],
        ResourceName::Workouts => &["time_start", "time_end"],
        _ => &["timestamp", "start", "end"],
    }
}
