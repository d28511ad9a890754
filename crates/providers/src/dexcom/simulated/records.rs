//! Times of made-up records, and the records of a day.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, TimeDelta, Utc};

use super::super::generated::models::{
    Calibration, Egv, EgvStatus, EventStatus, EventType, GlucoseUnit, RecordValue, TransmitterGeneration, Trend,
    UserEvent,
};
use crate::simulated::local_time::local_time;
use crate::simulated::noise::Noise;

/// Id of the person.
pub(super) const USER: &str = "person-1";

/// Record with times.
pub(super) trait Record {
    fn system_time(&self) -> &str;
    fn display_time(&self) -> &str;

    /// Returns `systemTime` in UTC.
    fn utc(&self) -> DateTime<Utc> {
        let text = self.system_time().trim_end_matches('Z');
        let time = NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f");
        time.unwrap_or_default().and_utc()
    }
}

macro_rules! record {
    ($($record:ty),*) => {
        $(impl Record for $record {
            fn system_time(&self) -> &str {
                &self.system_time
            }

            fn display_time(&self) -> &str {
                &self.display_time
            }
        })*
    };
}

record!(Egv, Calibration, UserEvent);

/// Display of a day: a phone writes offsets, a receiver does not.
#[derive(Clone, Copy)]
pub(super) struct Display {
    pub(super) day: NaiveDate,
    pub(super) offset: FixedOffset,
    pub(super) is_receiver: bool,
}

impl Display {
    /// Returns `systemTime` and `displayTime` of some seconds after the start of the day.
    fn times(self, seconds: i64) -> (String, String) {
        let local = local_time(self.offset, self.day, 0) + TimeDelta::seconds(seconds);
        let system = local.to_utc().format("%Y-%m-%dT%H:%M:%S").to_string();
        match self.is_receiver {
            true => (system, local.naive_local().format("%Y-%m-%dT%H:%M:%S").to_string()),
            false => (format!("{system}Z"), local.to_rfc3339()),
        }
    }

    fn name(self) -> Option<String> {
        Some(if self.is_receiver { "receiver" } else { "iOS" }.to_owned())
    }

    fn generation(self) -> Option<TransmitterGeneration> {
        Some(match self.is_receiver {
            true => TransmitterGeneration::G6,
            false => TransmitterGeneration::G7,
        })
    }

    fn transmitter(self) -> Option<String> {
        Some(if self.is_receiver { "t6" } else { "t7" }.to_owned())
    }
}

/// Makes a value each five minutes, apart from some that were missed. Now and then, one is out of range.
pub(super) fn egvs(noise: Noise, display: Display) -> Vec<Egv> {
    let indices = (0..288_i64).filter(|index| !noise.derive(index.unsigned_abs()).is_one_in(40));
    let egv = |index: i64| {
        let noise = noise.derive(index.unsigned_abs());
        let (value, status) = match noise.derive(1).within(0..150) {
            0 => (None, EgvStatus::Low),
            1 => (Some(RecordValue::Text("Low".to_owned())), EgvStatus::Low),
            2 => (Some(RecordValue::Number(400.0)), EgvStatus::High),
            _ => (
                Some(RecordValue::Number(noise.derive(2).within(60..260) as f64)),
                EgvStatus::Ok,
            ),
        };
        let (system_time, display_time) = display.times(index * 300 + 12);
        Egv {
            record_id: format!("egv-{}-{index}", display.day),
            system_time,
            display_time,
            value,
            unit: GlucoseUnit::MgPerDl,
            status: Some(status),
            trend: Some(Trend::Flat),
            trend_rate: Some(0.2),
            rate_unit: Some("mg/dL/min".to_owned()),
            transmitter_id: display.transmitter(),
            transmitter_ticks: Some(i64::from(display.day.to_epoch_days()) * 86_400 + index * 300),
            transmitter_generation: display.generation(),
            display_device: display.name(),
        }
    };
    indices.map(egv).collect()
}

/// Makes a finger-stick of the morning.
pub(super) fn calibration(noise: Noise, display: Display) -> Calibration {
    let (system_time, display_time) = display.times(7 * 3_600 + noise.derive(1).within(0..3_600));
    Calibration {
        record_id: format!("calibration-{}", display.day),
        system_time,
        display_time,
        value: Some(noise.derive(2).within(70..180) as f64),
        unit: GlucoseUnit::MgPerDl,
        transmitter_id: display.transmitter(),
        transmitter_ticks: None,
        transmitter_generation: display.generation(),
        display_device: display.name(),
    }
}

/// Makes the entries of a day, some of which were edited or deleted.
pub(super) fn events(noise: Noise, display: Display) -> Vec<UserEvent> {
    let number = |value: i64| Some(RecordValue::Text(value.to_string()));
    let note = Some(RecordValue::Text("Long walk".to_owned()));
    let entries = [
        (
            EventType::Carbs,
            None,
            number(noise.derive(1).within(10..90)),
            Some("grams"),
        ),
        (
            EventType::Insulin,
            Some("fastActing"),
            number(noise.derive(2).within(1..12)),
            Some("units"),
        ),
        (EventType::Insulin, Some("longActing"), number(18), Some("units")),
        (
            EventType::Exercise,
            Some("medium"),
            number(noise.derive(3).within(10..90)),
            Some("minutes"),
        ),
        (EventType::Health, Some("stress"), None, None),
        (EventType::Notes, None, note, None),
        (
            EventType::BloodGlucose,
            None,
            number(noise.derive(4).within(70..180)),
            Some("mg/dL"),
        ),
    ];
    let entries = entries.into_iter().enumerate();
    let event = |(index, (event_type, kind, value, unit)): (usize, (EventType, Option<&str>, _, Option<&str>))| {
        let noise = noise.derive(100 + index as u64);
        let seconds = (index as i64 * 3 + 1) * 4_000 + noise.derive(1).within(0..3_000);
        let (system_time, display_time) = display.times(seconds);
        UserEvent {
            record_id: format!("event-{}-{index}", display.day),
            system_time,
            display_time,
            event_status: match noise.derive(2).within(0..12) {
                0 => EventStatus::Deleted,
                1 => EventStatus::Updated,
                _ => EventStatus::Created,
            },
            event_type,
            event_sub_type: kind.map(str::to_owned),
            value,
            unit: unit.map(str::to_owned),
            transmitter_id: display.transmitter(),
            transmitter_generation: display.generation(),
            display_device: display.name(),
        }
    };
    entries.map(event).collect()
}
