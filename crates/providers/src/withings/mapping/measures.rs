//! Conversion of groups of measures.

use chrono::NaiveDate;
use serde_json::json;
use wearlab_connect::{Reading, Refusal};
use wearlab_models::{DateTime, ResourceName};

use super::super::generated::models::{Attribution, MeasureGroup, MeasureType};
use super::times::{time_in, with_source};
use crate::numbers::rounded;
use crate::samples::sample_at;
use crate::zones::Zone;

/// Category of goals.
const GOALS: i64 = 2;

/// Members of `body` that name it, and are not measures.
const BODY_NAMES: usize = 2;

/// Returns the body of a group, its weight and fat as samples, the blood pressure, and VO2 max.
///
/// # Errors
///
/// If the time of the group is out of range.
pub fn body(group: &MeasureGroup, zone: Option<&str>) -> Result<Vec<Reading>, Refusal> {
    if !is_reliable(group) {
        return Ok(Vec::new());
    }
    let time = time_in(&Zone::named(zone), group.date)?;
    let mut readings: Vec<_> = summary(group, time).into_iter().collect();
    for (kind, resource) in [
        (MeasureType::Weight, ResourceName::Weight),
        (MeasureType::FatRatio, ResourceName::Fat),
        (MeasureType::FatFreeMass, ResourceName::LeanBodyMass),
        (MeasureType::Vo2Max, ResourceName::Vo2Max),
    ] {
        readings.extend(value(group, kind).map(|value| sample_at(resource, time, json!(value))));
    }
    let pressures = value(group, MeasureType::SystolicPressure).zip(value(group, MeasureType::DiastolicPressure));
    readings.extend(pressures.map(|(systolic, diastolic)| {
        let value = json!({"timestamp": time.to_rfc3339(), "systolic": systolic, "diastolic": diastolic});
        Reading::new(ResourceName::BloodPressure, time.date_naive(), value)
    }));
    Ok(with_sources(group, readings))
}

/// Returns the pulse, the blood oxygen and the temperatures of a group.
///
/// # Errors
///
/// If the time of the group is out of range.
pub fn vitals(group: &MeasureGroup, zone: Option<&str>) -> Result<Vec<Reading>, Refusal> {
    if !is_reliable(group) {
        return Ok(Vec::new());
    }
    let time = time_in(&Zone::named(zone), group.date)?;
    let sample = |resource, value: Option<f64>| value.map(|value| sample_at(resource, time, json!(value)));
    let temperature = value(group, MeasureType::BodyTemperature).or_else(|| value(group, MeasureType::Temperature));
    let skin = value(group, MeasureType::SkinTemperature).map(|value| {
        let time_text = time.to_rfc3339();
        let value = json!({"timestamp": time_text, "value": value, "type": "skin", "sensor_location": "skin"});
        Reading::new(ResourceName::BodyTemperature, time.date_naive(), value)
    });
    let readings = [
        sample(ResourceName::Heartrate, value(group, MeasureType::Pulse)),
        sample(ResourceName::BloodOxygen, value(group, MeasureType::BloodOxygen)),
        sample(ResourceName::BodyTemperature, temperature),
        skin,
    ];
    Ok(with_sources(group, readings.into_iter().flatten().collect()))
}

/// Returns the newest height of some groups, as the profile of a day.
pub fn height<'a>(groups: impl Iterator<Item = &'a MeasureGroup>, day: NaiveDate) -> Option<Reading> {
    let is_of_another = |group: &MeasureGroup| group.attrib == Some(Attribution::SharedDevice);
    let heights = groups.filter(|group| group.category != Some(GOALS) && !is_of_another(group));
    let heights = heights.filter_map(|group| Some((group.date, value(group, MeasureType::Height)?)));
    let (_, metres) = heights.max_by_key(|(date, _)| *date)?;
    let reading = Reading::new(
        ResourceName::Profile,
        day,
        json!({"height": rounded(metres * 100.0, 2)}),
    );
    Some(with_source(Some("app"), reading))
}

/// Returns whether a group was measured, and surely of this person.
fn is_reliable(group: &MeasureGroup) -> bool {
    let is_doubtful = matches!(
        group.attrib,
        Some(Attribution::SharedDevice | Attribution::EnteredWithAccount)
    );
    group.category != Some(GOALS) && !is_doubtful
}

/// Returns the body of a group, if it has measures of it.
fn summary(group: &MeasureGroup, time: DateTime) -> Option<Reading> {
    let weight = value(group, MeasureType::Weight);
    let share = |kind| {
        let (part, whole) = value(group, kind).zip(weight.filter(|weight| *weight > 0.0))?;
        Some(rounded(part / whole * 100.0, 2))
    };
    let value = json!({
        "provider_id": group.grpid.to_string(),
        "calendar_date": time.date_naive(),
        "weight": weight,
        "fat": value(group, MeasureType::FatRatio),
        "visceral_fat_index": value(group, MeasureType::VisceralFat),
        "lean_body_mass_kilogram": value(group, MeasureType::FatFreeMass),
        "muscle_mass_percentage": share(MeasureType::MuscleMass),
        "water_percentage": share(MeasureType::Water),
        "bone_mass_percentage": share(MeasureType::BoneMass),
    });
    let reading = Reading::new(ResourceName::Body, time.date_naive(), value);
    (reading.value.len() > BODY_NAMES).then_some(reading)
}

/// Returns the first measure of a type.
fn value(group: &MeasureGroup, kind: MeasureType) -> Option<f64> {
    let measure = group.measures.iter().find(|measure| measure.type_ == kind)?;
    let power = |exponent: u64| 10_f64.powi(i32::try_from(exponent).unwrap_or(i32::MAX));
    let (value, unit) = (measure.value as f64, measure.unit.unsigned_abs());
    // A division by a power of ten is exact to the last digit, a multiplication by a tenth is not.
    Some(if measure.unit < 0 {
        value / power(unit)
    } else {
        value * power(unit)
    })
}

fn with_sources(group: &MeasureGroup, readings: Vec<Reading>) -> Vec<Reading> {
    let source = source(group);
    readings
        .into_iter()
        .map(|reading| with_source(source, reading))
        .collect()
}

/// Returns the kind of device that measured a group, if it is not a watch.
fn source(group: &MeasureGroup) -> Option<&'static str> {
    let has = |kinds: &[MeasureType]| group.measures.iter().any(|measure| kinds.contains(&measure.type_));
    match group.attrib {
        Some(Attribution::Entered) => Some("app"),
        _ if has(&[MeasureType::SystolicPressure, MeasureType::DiastolicPressure]) => Some("cuff"),
        _ if has(&[MeasureType::Weight]) => Some("scale"),
        _ if has(&[MeasureType::Temperature, MeasureType::BodyTemperature]) => Some("unknown"),
        _ => None,
    }
}
