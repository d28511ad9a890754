//! Tests of groups of measures.

use serde_json::{Value, json};
use wearlab_connect::Reading;
use wearlab_models::ResourceName::{
    BloodOxygen, BloodPressure, Body, BodyTemperature, Fat, Heartrate, LeanBodyMass, Profile, Vo2Max, Weight,
};

use super::super::generated::models::{Attribution, MeasureGroup, MeasureGroupsResponse, MeasureType};
use super::super::mapping;
use super::{check_arrivals, read, values};

/// Response of the documentation, with members and a type that are not in it.
const PAGE: &str = r#"{"status":0,"body":{"updatetime":1772600000,"timezone":"Europe/Oslo","measuregrps":[{"grpid":7001,
    "attrib":0,"date":1772599000,"created":1772599010,"modified":1772599010,"category":1,"deviceid":"dev-1",
    "hash_deviceid":"dev-1","measures":[{"value":71250,"type":1,"unit":-3,"algo":3},{"value":183,"type":6,"unit":-1},
    {"value":1,"type":9999,"unit":0}],"model":"Body+","modelid":5,"comment":null}],"more":0,"offset":0,"new":{}}}"#;

/// Returns a group of 2026-03-04 at 05:36:40 in Oslo.
fn group(measures: &[(i64, i64, i64)]) -> MeasureGroup {
    let measures: Vec<_> = measures
        .iter()
        .map(|(kind, value, unit)| json!({"type": kind, "value": value, "unit": unit, "position": null}))
        .collect();
    let group = json!({"grpid": 7002, "attrib": null, "date": 1_772_599_000, "created": null, "modified": null,
        "category": 1, "deviceid": null, "hash_deviceid": null, "measures": measures, "model": null, "modelid": null});
    read(&group.to_string())
}

fn body(group: &MeasureGroup) -> Vec<Reading> {
    let readings = mapping::body(group, Some("Europe/Oslo")).expect("readings");
    check_arrivals(&readings);
    readings
}

fn vitals(group: &MeasureGroup) -> Vec<Reading> {
    let readings = mapping::vitals(group, Some("Europe/Oslo")).expect("readings");
    check_arrivals(&readings);
    readings
}

fn sample(value: f64) -> Value {
    json!({"timestamp": "2026-03-04T05:36:40+01:00", "value": value})
}

#[test]
fn a_weight_of_the_documentation() {
    let response: MeasureGroupsResponse = read(PAGE);
    let page = response.body.expect("a page");
    assert_eq!((response.status, page.more, page.offset), (0, Some(0), Some(0)));
    assert_eq!(page.measuregrps[0].measures[2].type_, MeasureType::Other(9_999));
    let readings = body(&page.measuregrps[0]);
    let expected = json!({"provider_id": "7001", "calendar_date": "2026-03-04", "weight": 71.25, "fat": 18.3});
    assert_eq!(values(&readings, Body), [expected]);
    assert_eq!(values(&readings, Weight), [sample(71.25)]);
    assert_eq!(values(&readings, Fat), [sample(18.3)]);
    assert_eq!(readings.len(), 3);
    assert!(readings.iter().all(|reading| reading.source_type == Some("scale")));
    assert!(readings.iter().all(|reading| reading.day.to_string() == "2026-03-04"));
}

#[test]
fn parts_of_the_body_are_shares_of_the_weight() {
    let measures = [
        (1, 80_000, -3),
        (5, 64, 0),
        (76, 6_120, -2),
        (77, 44, 0),
        (88, 34, -1),
        (170, 45, -1),
        (8, 1_600, -2),
    ];
    let readings = body(&group(&measures));
    let expected = json!({
        "provider_id": "7002", "calendar_date": "2026-03-04", "weight": 80.0, "visceral_fat_index": 4.5,
        "lean_body_mass_kilogram": 64.0, "muscle_mass_percentage": 76.5, "water_percentage": 55.0,
        "bone_mass_percentage": 4.25,
    });
    assert_eq!(values(&readings, Body), [expected]);
    assert_eq!(values(&readings, LeanBodyMass), [sample(64.0)]);
    // Without a weight, a share is not known.
    assert_eq!(body(&group(&measures[2..5])), []);
    let zero = body(&group(&[(1, 0, 0), (76, 6_120, -2)]));
    assert_eq!(values(&zero, Body)[0].get("muscle_mass_percentage"), None);
}

#[test]
fn values_have_the_digits_that_were_sent() {
    for (value, unit, expected) in [
        (71_250, -3, 71.25),
        (7, 1, 70.0),
        (68, 0, 68.0),
        (1, -1, 0.1),
        (655, -1, 65.5),
        (123_456_789, -6, 123.456_789),
    ] {
        assert_eq!(values(&body(&group(&[(1, value, unit)])), Weight), [sample(expected)]);
    }
    // A number that cannot be written is refused by its rule, and not changed.
    let endless = mapping::body(&group(&[(123, 1, 400)]), None).expect("readings");
    assert_eq!(values(&endless, Vo2Max)[0].get("value"), None);
}

#[test]
fn a_blood_pressure_is_of_a_cuff() {
    let measured = group(&[(9, 76, 0), (10, 118, 0), (11, 64, 0)]);
    let pressure = body(&measured);
    let expected = json!({"timestamp": "2026-03-04T05:36:40+01:00", "systolic": 118.0, "diastolic": 76.0});
    assert_eq!(values(&pressure, BloodPressure), [expected]);
    let pulse = vitals(&measured);
    let expected = json!({"timestamp": "2026-03-04T05:36:40+01:00", "value": 64.0});
    assert_eq!(values(&pulse, Heartrate), [expected]);
    assert!(
        pressure
            .iter()
            .chain(&pulse)
            .all(|reading| reading.source_type == Some("cuff"))
    );
    assert_eq!(body(&group(&[(9, 76, 0)])), []);
}

#[test]
fn temperatures_of_the_body_and_of_the_skin() {
    let readings = vitals(&group(&[(12, 365, -1), (71, 3_671, -2), (73, 3_380, -2), (54, 97, 0)]));
    let time = "2026-03-04T05:36:40+01:00";
    let expected = [
        json!({"timestamp": time, "value": 36.71}),
        json!({"timestamp": time, "value": 33.8, "type": "skin", "sensor_location": "skin"}),
    ];
    assert_eq!(values(&readings, BodyTemperature), expected);
    assert_eq!(
        values(&readings, BloodOxygen),
        [json!({"timestamp": time, "value": 97.0})]
    );
    assert_eq!(readings[0].source_type, Some("unknown"));
    let one = vitals(&group(&[(12, 365, -1)]));
    assert_eq!(
        values(&one, BodyTemperature),
        [json!({"timestamp": time, "value": 36.5})]
    );
}

#[test]
fn vo2_max_is_of_a_watch() {
    let readings = body(&group(&[(123, 415, -1)]));
    assert_eq!(values(&readings, Vo2Max), [sample(41.5)]);
    assert_eq!((readings.len(), readings[0].source_type), (1, None));
}

#[test]
fn what_may_be_of_another_person_is_skipped() {
    let mut weight = group(&[(1, 71_250, -3), (11, 64, 0)]);
    let source = |group: &MeasureGroup| (body(group).first().map(|one| one.source_type), vitals(group).len());
    let kept = |source| (Some(Some(source)), 1);
    for (attribution, expected) in [
        (Some(Attribution::Device), kept("scale")),
        (Some(Attribution::SharedDevice), (None, 0)),
        (Some(Attribution::Entered), kept("app")),
        (Some(Attribution::EnteredWithAccount), (None, 0)),
        (Some(Attribution::Average), kept("scale")),
        (Some(Attribution::Confirmed), kept("scale")),
        (Some(Attribution::SureDevice), kept("scale")),
        (Some(Attribution::Guided), kept("scale")),
        (Some(Attribution::Other(17)), kept("scale")),
        (None, kept("scale")),
    ] {
        weight.attrib = attribution;
        assert_eq!(source(&weight), expected, "{attribution:?}");
    }
    weight.category = Some(2);
    assert_eq!(source(&weight), (None, 0), "a goal");
}

#[test]
fn the_newest_height_is_the_profile() {
    let day = "2026-03-05".parse().expect("a day");
    let height = |attribution, date, value| MeasureGroup {
        attrib: Some(attribution),
        date,
        ..group(&[(4, value, -2)])
    };
    let groups = [
        height(Attribution::Entered, 1_772_599_000, 174),
        height(Attribution::EnteredWithAccount, 1_500_000_000, 170),
        height(Attribution::SharedDevice, 1_772_599_999, 120),
        group(&[(1, 71, 0)]),
    ];
    let reading = mapping::height(groups.iter(), day).expect("a profile");
    check_arrivals(std::slice::from_ref(&reading));
    assert_eq!((reading.day, reading.source_type), (day, Some("app")));
    assert_eq!(values(&[reading], Profile), [json!({"height": 174.0})]);
    let guess = mapping::height(groups[1..2].iter(), day).expect("a profile");
    assert_eq!(values(&[guess], Profile), [json!({"height": 170.0})]);
    assert_eq!(mapping::height(groups[2..].iter(), day), None);
}

#[test]
fn values_are_not_in_debug_output() {
    let measured = group(&[(1, 71_250, -3), (9, 76, 0), (10, 118, 0)]);
    let shown = format!("{measured:?} {:?}", body(&measured));
    assert!(
        shown.contains("Weight") && !shown.contains("712") && !shown.contains("118"),
        "{shown}"
    );
}
