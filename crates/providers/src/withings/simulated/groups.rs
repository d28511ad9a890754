//! Made-up groups of measures.

use chrono::{Datelike, NaiveDate};

use super::super::generated::models::{Attribution, Measure, MeasureGroup, MeasureType};
use crate::simulated::noise::Noise;

/// Category of goals.
const GOALS: i64 = 2;

/// Purposes of made-up numbers.
#[derive(Clone, Copy)]
enum Purpose {
    Scale = 1,
    Cuff,
    Thermometer,
    Oxygen,
    Goal,
}

/// Measures of a group: types, values and powers of ten.
type Measures<'m> = &'m [(MeasureType, i64, i64)];

/// Returns the height of a person, which was entered with the account on a day.
pub(super) fn height(day: NaiveDate, date: i64, noise: Noise) -> MeasureGroup {
    let measures = [(MeasureType::Height, noise.within(150..200), -2)];
    group(day, date, 0, Attribution::EnteredWithAccount, &measures)
}

/// Returns the groups of a day. `time` returns the time so many minutes after its start.
pub(super) fn groups(day: NaiveDate, noise: Noise, time: impl Fn(i64) -> i64) -> Vec<MeasureGroup> {
    let mut groups: Vec<MeasureGroup> = Vec::new();
    let of = |purpose: Purpose| noise.derive(purpose as u64);
    let mut push = |minutes: i64, number: i64, attribution: Attribution, measures: Measures<'_>| {
        groups.push(group(day, time(minutes), number, attribution, measures));
    };
    let scale = of(Purpose::Scale);
    if !scale.is_one_in(3) {
        let weight = scale.derive(1).within(60_000..90_000);
        let measures = [
            (MeasureType::Weight, weight, -3),
            (MeasureType::FatRatio, scale.derive(2).within(100..300), -1),
            (MeasureType::FatFreeMass, weight / 10 * 8, -3),
            (MeasureType::MuscleMass, weight / 1_000 * 76, -2),
            (MeasureType::Water, weight / 1_000 * 55, -2),
            (MeasureType::BoneMass, weight / 1_000 * 4, -2),
            (MeasureType::VisceralFat, scale.derive(3).within(1..9), 0),
            (MeasureType::Pulse, scale.derive(4).within(55..80), 0),
        ];
        let attribution = if scale.derive(5).is_one_in(9) {
            Attribution::SharedDevice
        } else {
            Attribution::Device
        };
        // Some are shortly after midnight, which is the day before in UTC in the east of it.
        push(scale.derive(6).within(2..1_438), 1, attribution, &measures);
    }
    if of(Purpose::Cuff).is_one_in(4) {
        let cuff = of(Purpose::Cuff);
        let measures = [
            (MeasureType::DiastolicPressure, cuff.derive(1).within(60..90), 0),
            (MeasureType::SystolicPressure, cuff.derive(2).within(100..140), 0),
            (MeasureType::Pulse, cuff.derive(3).within(55..90), 0),
        ];
        push(1_260, 2, Attribution::Average, &measures);
    }
    if of(Purpose::Thermometer).is_one_in(8) {
        let body = of(Purpose::Thermometer).derive(1).within(3_600..3_790);
        let measures = [
            (MeasureType::Temperature, body, -2),
            (MeasureType::BodyTemperature, body, -2),
            (MeasureType::SkinTemperature, body - 300, -2),
        ];
        push(480, 3, Attribution::SureDevice, &measures);
    }
    if of(Purpose::Oxygen).is_one_in(6) {
        let percent = of(Purpose::Oxygen).derive(1).within(94..100);
        push(600, 4, Attribution::Device, &[(MeasureType::BloodOxygen, percent, 0)]);
    }
    if day.num_days_from_ce() % 7 == 0 {
        let measures = [(MeasureType::Vo2Max, noise.within(380..440), -1)];
        push(1_100, 5, Attribution::Device, &measures);
    }
    if of(Purpose::Goal).is_one_in(12) {
        push(1_000, 6, Attribution::Entered, &[(MeasureType::Weight, 65_000, -3)]);
        if let Some(goal) = groups.last_mut() {
            goal.category = Some(GOALS);
        }
    }
    groups
}

fn group(day: NaiveDate, date: i64, number: i64, attribution: Attribution, measures: Measures<'_>) -> MeasureGroup {
    let measures = measures.iter().map(|(type_, value, unit)| Measure {
        type_: *type_,
        value: *value,
        unit: *unit,
        position: None,
    });
    MeasureGroup {
        grpid: i64::from(day.num_days_from_ce()) * 10 + number,
        attrib: Some(attribution),
        date,
        created: Some(date + 10),
        modified: Some(date + 10),
        category: Some(1),
        deviceid: Some("dev-1".to_owned()),
        hash_deviceid: Some("dev-1".to_owned()),
        measures: measures.collect(),
        model: Some("Body+".to_owned()),
        modelid: Some(5),
    }
}
