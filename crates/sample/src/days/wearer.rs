//! Wearers: the traits of a user that do not change from day to day.

use chrono::{Datelike, NaiveDate};
use wearlab_models::{ConnectedProvider, ConnectionStatus, ResourceName, User, Uuid};

use super::super::generator::Generator;
use super::clock::{Clock, number};
use super::noise::{Noise, Of};

/// Providers of watches with all resources of a watch. A wearer has one of them.
const WATCHES: &[&str] = &["pocketvitals", "stridewell", "palmhealth"];
/// Provider of scales.
const SCALES: &str = "ondaglow";
/// Provider of cuffs, clips and strips.
const CUFF: &str = "harborcuff";
/// Provider of glucose sensors, and of meals.
const SENSOR: &str = "glucanto";
/// Provider of cycle calendars.
const CALENDAR: &str = "mirovane";

/// User who wears a watch, and has other devices at home.
pub(super) struct Wearer {
    pub(super) team_id: Uuid,
    pub(super) user_id: Uuid,
    pub(super) noise: Noise,
    pub(super) zone: String,
    pub(super) clock: Clock,
    pub(super) birth_date: NaiveDate,
    pub(super) is_female: bool,
    /// Height in cm.
    pub(super) height: f64,
    /// Mean weight in kg.
    pub(super) weight: f64,
    /// Lowest heart rate asleep, in beats per minute.
    pub(super) resting: f64,
    /// Factor of the wearer's movement, from 0.6 to 1.4.
    pub(super) vigour: f64,
    /// Bedtime, in minutes after midnight of the day before.
    pub(super) bedtime: i64,
    /// Time in bed, in s.
    pub(super) in_bed: i64,
    /// Days from one cycle to the next.
    pub(super) cycle: i64,
    /// Day of the profile: the first day with data.
    pub(super) since: NaiveDate,
    watch: &'static str,
}

impl Wearer {
    /// Draws the traits of a user. The first user of a population has all of them.
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

    /// Returns the provider of a resource of this wearer.
    pub(super) fn provider_of(&self, resource: &ResourceName) -> &'static str {
        match resource {
            ResourceName::Body | ResourceName::Weight => SCALES,
            ResourceName::Electrocardiogram | ResourceName::BloodPressure | ResourceName::BloodOxygen => CUFF,
            ResourceName::Glucose | ResourceName::Meal | ResourceName::Note => SENSOR,
            ResourceName::MenstrualCycle => CALENDAR,
            _ => self.watch,
        }
    }

    /// Returns the providers that the wearer needs connections with.
    pub(super) fn providers(&self) -> Vec<&'static str> {
        let mut providers = vec![self.watch, SCALES, CUFF, SENSOR];
        if self.is_female {
            providers.push(CALENDAR);
        }
        providers
    }

    /// Returns the expected maximum heart rate, in beats per minute.
    pub(super) fn highest_rate(&self, day: NaiveDate) -> f64 {
        let age = f64::from(day.year() - self.birth_date.year());
        208.0 - 0.7 * age.clamp(18.0, 90.0)
    }

    /// Returns the weight on a day, in kg.
    pub(super) fn weight_on(&self, day: NaiveDate) -> f64 {
        let day = number(day);
        let slow = self.noise.smooth(Of::Weight, day, 60) * 2.0;
        self.weight + slow + self.noise.sway(Of::Weight, -day) * 0.4
    }
}

/// Returns the type of source of a resource.
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

/// Returns the watch that a user is already connected with.
fn worn(connections: &[ConnectedProvider]) -> Option<&'static str> {
    let connected = |slug: &&&str| {
        let mut connections = connections.iter();
        connections.any(|known| known.slug == **slug && known.status == ConnectionStatus::Connected)
    };
    WATCHES.iter().find(connected).copied()
}
