//! Who wears what: the traits of a user that do not change from day to day.

use chrono::{Datelike, NaiveDate};
use wearlab_models::{ConnectedProvider, ConnectionStatus, ResourceName, User, Uuid};

use super::super::generator::Generator;
use super::clock::{Clock, number};
use super::noise::{Noise, Of};

/// The providers of watches that have all that a watch measures. A wearer has one of them.
const WATCHES: &[&str] = &["pocketvitals", "stridewell", "palmhealth"];
/// The provider of scales.
const SCALES: &str = "ondaglow";
/// The provider of cuffs, clips and strips.
const CUFF: &str = "harborcuff";
/// The provider of sensors of glucose, and of the meals beside them.
const SENSOR: &str = "glucanto";
/// The provider of calendars of cycles.
const CALENDAR: &str = "mirovane";

/// A user who wears a watch, and has other devices at home.
pub(super) struct Wearer {
    pub(super) team_id: Uuid,
    pub(super) user_id: Uuid,
    pub(super) noise: Noise,
    pub(super) zone: String,
    pub(super) clock: Clock,
    pub(super) birth_date: NaiveDate,
    pub(super) is_female: bool,
    /// In cm.
    pub(super) height: f64,
    /// In kg, around which it varies.
    pub(super) weight: f64,
    /// In beats a minute, asleep at its lowest.
    pub(super) resting: f64,
    /// How much more or less than others the wearer moves, from 0.6 to 1.4.
    pub(super) vigour: f64,
    /// When the wearer goes to bed, in minutes after midnight of the day before.
    pub(super) bedtime: i64,
    /// How long the wearer is in bed, in s.
    pub(super) in_bed: i64,
    /// Days from one cycle to the next.
    pub(super) cycle: i64,
    /// A day on which the wearer wanted data for the first time.
    pub(super) since: NaiveDate,
    watch: &'static str,
}

impl Wearer {
    /// The traits of a user. The first user of a population has everything.
    pub(super) fn of(seed: u64, index: u32, user: &User, connections: &[ConnectedProvider]) -> Self {
        let mut draw = Generator::of_wearer(seed, index);
        let mut between = |low: usize, high: usize| (low + draw.below(high - low + 1)) as i64;
        let is_female = between(0, 1) == 1 || index == 0;
        let height = between(158, 176) + if is_female { 0 } else { 12 };
        let mass_index = between(200, 280) as f64 / 10.0;
        let birth_date = NaiveDate::from_ymd_opt(between(1965, 1998) as i32, between(1, 12) as u32, 14);
        let watch = WATCHES[between(0, WATCHES.len() - 1) as usize];
        Self {
            team_id: user.team_id,
            user_id: user.user_id,
            noise: Noise::new(draw.number()),
            zone: user.fallback_time_zone.id.clone(),
            clock: Clock::of(&user.fallback_time_zone.id),
            birth_date: (user.fallback_birth_date.as_ref()).map_or(birth_date.unwrap_or_default(), |date| date.value),
            is_female,
            height: height as f64,
            weight: mass_index * (height * height) as f64 / 10_000.0,
            resting: 46.0 + draw.below(16) as f64,
            vigour: 0.6 + draw.below(81) as f64 / 100.0,
            bedtime: 22 * 60 + draw.below(90) as i64,
            in_bed: 7 * 3_600 + draw.below(60) as i64 * 60,
            cycle: 26 + draw.below(6) as i64,
            since: user
                .created_on
                .date_naive()
                .max(user.ingestion_start.unwrap_or_default()),
            watch: worn(connections).unwrap_or(watch),
        }
    }

    /// The provider that has a resource of this wearer.
    pub(super) fn provider_of(&self, resource: &ResourceName) -> &'static str {
        match resource {
            ResourceName::Body | ResourceName::Weight => SCALES,
            ResourceName::Electrocardiogram | ResourceName::BloodPressure | ResourceName::BloodOxygen => CUFF,
            ResourceName::Glucose | ResourceName::Meal | ResourceName::Note => SENSOR,
            ResourceName::MenstrualCycle => CALENDAR,
            _ => self.watch,
        }
    }

    /// The providers that the wearer has to be connected to.
    pub(super) fn providers(&self) -> Vec<&'static str> {
        let mut providers = vec![self.watch, SCALES, CUFF, SENSOR];
        if self.is_female {
            providers.push(CALENDAR);
        }
        providers
    }

    /// The highest heart rate that is to be expected, in beats a minute.
    pub(super) fn highest_rate(&self, day: NaiveDate) -> f64 {
        let age = f64::from(day.year() - self.birth_date.year());
        208.0 - 0.7 * age.clamp(18.0, 90.0)
    }

    /// On a day, in kg.
    pub(super) fn weight_on(&self, day: NaiveDate) -> f64 {
        let day = number(day);
        let slow = self.noise.smooth(Of::Weight, day, 60) * 2.0;
        self.weight + slow + self.noise.sway(Of::Weight, -day) * 0.4
    }
}

/// The kind of source that a resource comes from.
pub(super) fn source_of(resource: &ResourceName) -> &'static str {
    match resource {
        ResourceName::Body | ResourceName::Weight => "scale",
        ResourceName::BloodPressure => "cuff",
        ResourceName::BloodOxygen | ResourceName::Electrocardiogram => "manual_scan",
        ResourceName::Glucose => "automatic",
        ResourceName::Meal | ResourceName::MenstrualCycle | ResourceName::Note | ResourceName::Profile => "app",
        _ => "watch",
    }
}

/// The watch of a user who is connected to one already.
fn worn(connections: &[ConnectedProvider]) -> Option<&'static str> {
    let connected = |slug: &&&str| {
        let mut connections = connections.iter();
        connections.any(|known| known.slug == **slug && known.status == ConnectionStatus::Connected)
    };
    WATCHES.iter().find(connected).copied()
}
