//! Tests of sums and values of days.

use serde_json::json;
use wearlab_connect::Refusal;
use wearlab_models::ResourceName::{Activity, Vo2Max};

use super::super::generated::models::{DataPointPage, RollUpPage};
use super::super::mapping;
use super::{check_arrivals, read, values};

/// Returns a page of the sum of a day.
fn sums(sum: &str) -> RollUpPage {
    read(&format!(
        r#"{{"rollupDataPoints":[{{"civilStartTime":{{"date":{{"year":2026,"month":3,"day":4}}}},
            "civilEndTime":{{"date":{{"year":2026,"month":3,"day":5}}}},{sum},"new":1}}]}}"#
    ))
}

fn points(point: &str) -> DataPointPage {
    read(&format!(
        r#"{{"dataPoints":[{{{point},"new":{{}}}}],"nextPageToken":"p-2"}}"#
    ))
}

#[test]
fn sums_of_a_day_are_its_activity() {
    let pages = [
        r#""steps":{"countSum":"8123"}"#,
        r#""floors":{"countSum":"4"}"#,
        r#""distance":{"millimetersSum":"5920500"}"#,
        r#""activeEnergyBurned":{"kcalSum":312.4}"#,
        r#""totalCalories":{"kcalSum":2190.8}"#,
        r#""activeMinutes":{"activeMinutesRollupByActivityLevel":[{"activityLevel":"LIGHT","activeMinutesSum":"180"},
            {"activityLevel":"MODERATE","activeMinutesSum":"40"},{"activityLevel":"VIGOROUS","activeMinutesSum":null},
            {"activityLevel":"SUPERSONIC","activeMinutesSum":"1"}]}"#,
        r#""heartRate":{"beatsPerMinuteAvg":68.4,"beatsPerMinuteMin":49,"beatsPerMinuteMax":151}"#,
    ];
    let sums: Vec<_> = pages.iter().flat_map(|page| sums(page).rollup_data_points).collect();
    let resting = points(r#""dailyRestingHeartRate":{"date":{"year":2026,"month":3,"day":4},"beatsPerMinute":"52"}"#);
    let readings = mapping::activity(&sums, &resting.data_points).expect("readings");
    check_arrivals(&readings);
    let expected = json!({
        "calendar_date": "2026-03-04", "steps": 8123, "floors_climbed": 4, "distance": 5920.5, "calories_active": 312.4,
        "calories_total": 2190.8, "low": 180, "medium": 40,
        "heart_rate": {"avg_bpm": 68.4, "min_bpm": 49.0, "max_bpm": 151.0, "resting_bpm": 52},
    });
    assert_eq!(values(&readings, Activity), [expected]);
    assert_eq!(readings[0].day.to_string(), "2026-03-04");
}

#[test]
fn nulls_and_numbers_that_cannot_be_read() {
    for empty in [
        r#""steps":{"countSum":null}"#,
        r#""distance":{}"#,
        r#""totalCalories":{"kcalSum":null}"#,
        r#""heartRate":{"beatsPerMinuteAvg":null}"#,
        r#""activeMinutes":{"activeMinutesRollupByActivityLevel":null}"#,
    ] {
        assert_eq!(
            mapping::activity(&sums(empty).rollup_data_points, &[]),
            Ok(Vec::new()),
            "{empty}"
        );
    }
    let wrong = mapping::activity(&sums(r#""steps":{"countSum":"secretly"}"#).rollup_data_points, &[]);
    let reason = "no record of sums of days can be read: a text is not a whole number";
    assert_eq!(wrong, Err(Refusal::Failed(reason.to_owned())));
    let shown = format!("{:?}", sums(r#""steps":{"countSum":"8123"}"#));
    assert!(!shown.contains("8123"), "{shown}");
}

#[test]
fn vo2_max_of_a_day() {
    let page = points(r#""dailyVo2Max":{"date":{"year":2026,"month":3,"day":4},"vo2Max":44.5,"estimated":true}"#);
    let readings = mapping::vo2_max(&page.data_points);
    check_arrivals(&readings);
    assert_eq!(
        values(&readings, Vo2Max),
        [json!({"timestamp": "2026-03-04T10:00:00+00:00", "value": 44.5})]
    );
    let without = points(r#""dailyVo2Max":{"date":{"year":2026,"month":3,"day":4},"vo2Max":null}"#);
    assert_eq!(mapping::vo2_max(&without.data_points), []);
}
