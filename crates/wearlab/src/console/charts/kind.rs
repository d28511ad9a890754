//! Which charts there are.

use wearlab_models::ResourceName;

/// A chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chart {
    HeartRate,
    Sleep,
    Steps,
    Weight,
    Glucose,
}

impl Chart {
    /// All, in the order of the page.
    pub(super) const ALL: [Self; 5] = [Self::HeartRate, Self::Sleep, Self::Steps, Self::Weight, Self::Glucose];

    /// The chart of a name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|chart| chart.name() == name)
    }

    /// Its name in URLs.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::HeartRate => "heartrate",
            Self::Sleep => "sleep",
            Self::Steps => "steps",
            Self::Weight => "weight",
            Self::Glucose => "glucose",
        }
    }

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::HeartRate => "Heart rate",
            Self::Sleep => "Sleep",
            Self::Steps => "Steps",
            Self::Weight => "Weight",
            Self::Glucose => "Glucose",
        }
    }

    /// What it is made of.
    pub(super) fn resource(self) -> ResourceName {
        match self {
            Self::HeartRate => ResourceName::Heartrate,
            Self::Sleep => ResourceName::SleepCycle,
            Self::Steps => ResourceName::Steps,
            Self::Weight => ResourceName::Weight,
            Self::Glucose => ResourceName::Glucose,
        }
    }

    /// Returns whether its values are counts that add up.
    pub(super) fn adds_up(self) -> bool {
        self == Self::Steps
    }

    /// For how many seconds without samples its line is interrupted.
    pub(super) fn interruption(self) -> Option<i64> {
        match self {
            Self::HeartRate | Self::Glucose => Some(3 * 3_600),
            Self::Sleep | Self::Steps | Self::Weight => None,
        }
    }

    /// How many days it shows at first.
    pub(super) fn days(self) -> u64 {
        match self {
            Self::HeartRate | Self::Sleep | Self::Glucose => 2,
            Self::Steps => 7,
            Self::Weight => 90,
        }
    }
}
