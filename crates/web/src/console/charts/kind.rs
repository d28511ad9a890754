//! Kinds of charts.

use wearlab_models::ResourceName;

/// Kind of a chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chart {
    HeartRate,
    Sleep,
    Steps,
    Weight,
    Glucose,
}

impl Chart {
    /// All kinds, in the order of the page.
    pub(super) const ALL: [Self; 5] = [Self::HeartRate, Self::Sleep, Self::Steps, Self::Weight, Self::Glucose];

    /// Returns the chart with a name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|chart| chart.name() == name)
    }

    /// Returns its name in URLs.
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

    /// Returns the resource of its data.
    pub(super) fn resource(self) -> ResourceName {
        match self {
            Self::HeartRate => ResourceName::Heartrate,
            Self::Sleep => ResourceName::SleepCycle,
            Self::Steps => ResourceName::Steps,
            Self::Weight => ResourceName::Weight,
            Self::Glucose => ResourceName::Glucose,
        }
    }

    /// Returns whether its values are counts to be summed.
    pub(super) fn adds_up(self) -> bool {
        self == Self::Steps
    }

    /// Returns the gap without samples that interrupts its line, in seconds; none if nothing does.
    pub(super) fn interruption(self) -> Option<i64> {
        match self {
            Self::HeartRate | Self::Glucose => Some(3 * 3_600),
            Self::Sleep | Self::Steps | Self::Weight => None,
        }
    }

    /// Returns the days of its initial span.
    pub(super) fn days(self) -> u64 {
        match self {
            Self::HeartRate | Self::Sleep | Self::Glucose => 2,
            Self::Steps => 7,
            Self::Weight => 90,
        }
    }
}
