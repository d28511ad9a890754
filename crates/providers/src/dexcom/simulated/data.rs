//! Made-up records of a person.

use chrono::{Datelike, FixedOffset, NaiveDate};

use super::super::generated::models::{Calibration, Device, Egv, TransmitterGeneration, UserEvent};
use super::records::{Display, calibration, egvs, events};
use crate::days::last_days;
use crate::simulated::noise::Noise;

/// Records of a person, each list in order of days. They are the same for the same arguments of
/// [`generate`](Self::generate); a test may change them.
#[derive(Clone, Debug)]
pub struct Data {
    /// Values of the sensor.
    pub egvs: Vec<Egv>,
    /// Finger-sticks.
    pub calibrations: Vec<Calibration>,
    /// Events that the person entered, also deleted ones.
    pub events: Vec<UserEvent>,
    /// Devices.
    pub devices: Vec<Device>,
    noise: Noise,
    offset: FixedOffset,
}

impl Data {
    /// Makes records for some days up to the last, in the time of a fixed offset.
    pub fn generate(seed: u64, offset: FixedOffset, last: NaiveDate, days: u32) -> Self {
        let mut data = Self {
            egvs: Vec::new(),
            calibrations: Vec::new(),
            events: Vec::new(),
            devices: vec![Device {
                last_upload_date: Some(format!("{last}T22:00:00")),
                transmitter_id: Some("t7".to_owned()),
                transmitter_generation: Some(TransmitterGeneration::G7),
                display_device: Some("iOS".to_owned()),
                display_app: Some("G7".to_owned()),
            }],
            noise: Noise::new(seed),
            offset,
        };
        last_days(last, days).for_each(|day| data.add_day(day));
        data
    }

    /// Adds the records of a day: some days are those of a receiver, whose times have no offset.
    pub fn add_day(&mut self, day: NaiveDate) {
        let noise = self.noise.for_day(day);
        let display = Display {
            day,
            offset: self.offset,
            is_receiver: day.num_days_from_ce() % 4 == 0,
        };
        self.egvs.extend(egvs(noise.derive(1), display));
        if display.is_receiver {
            self.calibrations.push(calibration(noise.derive(2), display));
        }
        self.events.extend(events(noise.derive(3), display));
    }
}
