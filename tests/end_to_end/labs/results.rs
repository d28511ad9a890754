//! Results of orders: as reported, compared with their ranges, corrected, and missing.

use chrono::Utc;
use serde_json::{Value, json};
use wearlab_store::{DeprecatedForms, Until};
use wearlab_tests::Running;

use super::{Team, events, text};

fn of<'r>(results: &'r Value, name: &str) -> &'r Value {
    let all = results["results"].as_array().expect("results");
    all.iter()
        .find(|result| result["name"] == name)
        .unwrap_or_else(|| panic!("no {name} in {results}"))
}

/// Returns one result of each type, with the derived values: above, below, value, interpretation.
fn each() -> Value {
    json!([
        {"name": "Glucose", "result": "101", "type": "numeric", "unit": "mg/dL", "loinc": "2345-7",
            "loinc_slug": "glucose", "slug": "glucose", "provider_id": "R1", "min_range_value": 70.0,
            "max_range_value": 99.0, "reference_range": "70-99", "notes": "Not fasted.",
            "timestamp": "2026-03-02T08:00:00Z"},
        {"name": "Potassium", "result": "3.1", "type": "numeric", "unit": "mmol/L", "reference_range": "3.5-5.1"},
        {"name": "Sodium", "result": "140", "type": "numeric", "min_range_value": 135.0, "max_range_value": 145.0},
        {"name": "Titre", "result": "<5", "type": "range", "max_range_value": 10.0},
        {"name": "Smear", "result": "No malignant cells were seen.", "type": "comment"},
        {"name": "HIV", "result": "Negative", "type": "coded_value", "interpretation": "normal"},
        {"name": "Odd", "result": "12", "type": "brand_new", "max_range_value": 3.0},
    ])
}

#[tokio::test]
async fn each_type_is_compared_with_its_range() {
    let running = Running::start(5).await;
    let team = Team::of(&running);
    let order = team.order().await;
    assert_eq!(team.get(&order.path("/result")).await.status, 404, "there are none yet");
    assert_eq!(order.takes(order.results("final", 2, &each())).await, "lab_result");
    assert_eq!(order.at().await, "completed.walk_in_test.completed");
    let results = team.get(&order.path("/result")).await.ok(200);
    let found = |name: &str| {
        let result = of(&results, name);
        let flag = |member: &str| result[member].as_bool();
        (
            flag("is_above_max_range"),
            flag("is_below_min_range"),
            result["interpretation"].as_str().map(str::to_owned),
        )
    };
    let (no, yes, normal, abnormal) = (
        Some(false),
        Some(true),
        Some("normal".to_owned()),
        Some("abnormal".to_owned()),
    );
    assert_eq!(found("Glucose"), (yes, no, abnormal.clone()));
    assert_eq!(found("Potassium"), (no, yes, abnormal));
    assert_eq!(found("Sodium"), (no, no, normal.clone()));
    assert_eq!(found("Titre"), (no, None, normal.clone()));
    assert_eq!(found("Smear"), (None, None, None));
    assert_eq!(found("HIV"), (None, None, normal));
    assert_eq!(found("Odd"), (None, None, None), "an unknown type is read as a comment");
    // Bounds in the text only are also numbers.
    let potassium = of(&results, "Potassium");
    assert_eq!(
        (&potassium["min_range_value"], &potassium["max_range_value"]),
        (&json!(3.5), &json!(5.1))
    );
    let sent = each();
    for (name, value) in sent[0].as_object().expect("an object") {
        match name.as_str() {
            "timestamp" => assert_eq!(text(of(&results, "Glucose"), name), "2026-03-02T08:00:00Z"),
            _ => assert_eq!(&of(&results, "Glucose")[name], value, "{name}"),
        }
    }
    assert_eq!(
        text(potassium, "timestamp"),
        text(&results["metadata"], "date_reported")
    );
    assert_eq!(results["metadata"]["interpretation"], "abnormal");
    assert_eq!(order.get().await["interpretation"], "abnormal");
}

#[tokio::test]
async fn the_deprecated_value_is_sent_where_the_operator_wants_it() {
    let running = Running::start(5).await;
    let team = Team::of(&running);
    let order = team.order().await;
    order.takes(order.results("final", 2, &each())).await;
    let without = team.get(&order.path("/result")).await.ok(200);
    let has = |results: &Value| {
        let all = results["results"].as_array().expect("results");
        all.iter()
            .filter(|result| result.get("value").is_some_and(|value| !value.is_null()))
            .count()
    };
    assert_eq!(has(&without), 0);
    let forms = DeprecatedForms {
        result_value: Until::Always,
        ..DeprecatedForms::default()
    };
    let beside = running.beside_with(Utc::now, forms).await;
    let other = Team {
        url: beside.url.clone(),
        ..Team::of(&running)
    };
    let with = other.get(&order.path("/result")).await.ok(200);
    assert_eq!(has(&with), 3, "numeric results alone have a value: {with}");
    for (name, value) in [("Glucose", 101.0), ("Potassium", 3.1), ("Sodium", 140.0)] {
        assert_eq!(of(&with, name)["value"], json!(value));
    }
}

#[tokio::test]
async fn reports_follow_each_other_in_any_order() {
    let running = Running::start(5).await;
    let team = Team::of(&running);
    let result = |name: &str, result: &str| json!({"name": name, "result": result, "type": "numeric", "loinc": name});
    for late in [false, true] {
        let order = team.order().await;
        let part = json!([result("Glucose", "90"), result("Sodium", "139")]);
        let rest = json!([result("Sodium", "140"), result("Potassium", "4.4")]);
        let corrected = json!([result("Glucose", "95")]);
        let [part, rest, corrected] = [("partial", 2, part), ("final", 4, rest), ("corrected", 6, corrected)]
            .map(|(status, hours, results)| order.results(status, hours, &results));
        if late {
            // The report in between arrives last.
            order.takes(part).await;
            order.takes(corrected).await;
            order.takes(rest.clone()).await;
        } else {
            order.takes(part.clone()).await;
            assert_eq!(order.at().await, "sample_with_lab.walk_in_test.partial_results");
            assert_eq!(
                team.get(&order.path("/result/metadata")).await.ok(200)["status"],
                "partial"
            );
            order.takes(rest.clone()).await;
            assert_eq!(order.at().await, "completed.walk_in_test.completed");
            order.takes(corrected).await;
            assert_eq!(order.takes(part).await, "known");
        }
        assert_eq!(order.takes(rest).await, "known");
        assert_eq!(order.at().await, "completed.walk_in_test.completed");
        let results = team.get(&order.path("/result")).await.ok(200);
        let texts = ["Glucose", "Sodium", "Potassium"].map(|name| text(of(&results, name), "result"));
        assert_eq!(texts, ["95", "140", "4.4"], "the later report counts");
        assert_eq!(results["results"].as_array().map(Vec::len), Some(3));
        assert_eq!(results["metadata"]["status"], "corrected");
        let created = events(&running, &order.id, "labtest.result.created").await;
        assert_eq!(created.len(), 3, "one each");
        let shown = order.get().await;
        let steps = shown["events"].as_array().expect("steps");
        assert!(steps.len() <= 4, "{steps:?}");
    }
}

#[tokio::test]
async fn what_is_missing_is_said() {
    let running = Running::start(5).await;
    let team = Team::of(&running);
    let order = team.order().await;
    let mut line = order.results("final", 2, &json!([]));
    let missing = json!([{"name": "Sodium", "slug": "sodium", "inferred_failure_type": "quantity_not_sufficient",
        "note": "Too little.", "loinc": "2951-2", "loinc_slug": "sodium", "provider_id": "R5"}]);
    line["lab_result"]["missing_results"] = missing.clone();
    order.takes(line).await;
    let results = team.get(&order.path("/result")).await.ok(200);
    assert_eq!(
        (&results["missing_results"], &results["results"]),
        (&missing, &json!([]))
    );
    // With another sample, it is present.
    let sodium = json!([{"name": "Sodium", "loinc": "2951-2", "result": "140", "type": "numeric"}]);
    order.takes(order.results("corrected", 20, &sodium)).await;
    let results = team.get(&order.path("/result")).await.ok(200);
    assert!(results.get("missing_results").is_none_or(Value::is_null), "{results}");
    assert_eq!(text(of(&results, "Sodium"), "result"), "140");
}

#[tokio::test]
async fn the_metadata_say_whose_results_they_are() {
    let running = Running::start(5).await;
    let team = Team::of(&running);
    let order = team.order().await;
    let mut line = order.results("final", 2, &each());
    line["lab_result"]["metadata"] = json!({"laboratory": "Southside", "provider": "Ines Marlow",
        "date_reported": "2025-01-03T10:00:00Z", "date_collected": "2024-12-31T23:00:00-05:00",
        "date_received": "2025-01-02T08:00:00Z", "specimen_number": "S-77", "status": "final",
        "interpretation": "critical"});
    order.takes(line).await;
    let metadata = team.get(&order.path("/result/metadata")).await.ok(200);
    assert_eq!(metadata, team.get(&order.path("/result")).await.ok(200)["metadata"]);
    let expected = json!({"age": "35", "dob": "1990-01-01", "patient": "Alma Winters", "laboratory": "Southside",
        "provider": "Ines Marlow", "date_reported": "2025-01-03T10:00:00Z",
        "date_collected": "2024-12-31T23:00:00-05:00", "date_received": "2025-01-02T08:00:00Z",
        "specimen_number": "S-77", "status": "final", "interpretation": "critical"});
    // In UTC, it was already the birthday.
    assert_eq!(metadata, expected);
    // The lab defaults to that of the order.
    let other = team.order().await;
    other.takes(other.results("final", 2, &each())).await;
    let metadata = team.get(&other.path("/result/metadata")).await.ok(200);
    assert_eq!(metadata["laboratory"], "Northlake Diagnostics");
}

#[tokio::test]
async fn what_is_no_report_is_refused_at_its_place() {
    let running = Running::start(5).await;
    let team = Team::of(&running);
    let order = team.order().await;
    let good = order.results("final", 2, &each());
    for (pointer, value, field) in [
        ("/results", json!([]), "lab_result.results"),
        ("/results/0/name", json!(""), "lab_result.results[0].name"),
        ("/results/1/type", json!(7), "lab_result.results[1].type"),
        (
            "/results/2/max_range_value",
            json!(1),
            "lab_result.results[2].min_range_value",
        ),
        ("/results/3/colour", json!("red"), "lab_result.results[3]"),
        (
            "/metadata/specimen_number",
            json!(""),
            "lab_result.metadata.specimen_number",
        ),
        (
            "/metadata/date_reported",
            json!("soon"),
            "lab_result.metadata.date_reported",
        ),
        (
            "/metadata/date_collected",
            json!("yesterday"),
            "lab_result.metadata.date_collected",
        ),
    ] {
        let mut line = good.clone();
        let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
        line["lab_result"].pointer_mut(parent).expect("an object")[name] = value;
        let (found, reason) = order.refuses(line).await;
        assert_eq!(found, field, "{reason}");
    }
    assert_eq!(team.get(&order.path("/result")).await.status, 404);
}
