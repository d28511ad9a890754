//! Tests of lab orders on the command line: imported, updated by reports of a lab, exported, and deleted with their
//! user.

use std::fs;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::fixture::{Fixture, TEAM, USER, error};
use crate::ingest::ingest;
use crate::serve::service::{Serving, TIMEOUT, try_ask};

const ORDER: &str = "00000000-0000-0000-0000-0000000000aa";

/// Creates the small world with an order of a walk-in test.
fn fixture() -> Fixture {
    let fixture = Fixture::with_world();
    let event = json!({"id": 1, "created_at": "2026-03-02T09:00:00Z", "status": "received.walk_in_test.ordered"});
    let order = json!({
        "id": ORDER, "user_id": USER, "team_id": TEAM,
        "patient_details": {"first_name": "Quokka", "last_name": "Wombat", "dob": "1990-01-01", "gender": "female",
            "phone_number": "+15035550142", "email": "quokka@example.com"},
        "patient_address": {"first_line": "17 Quokka Street", "city": "Portland", "state": "OR", "zip": "97205",
            "country": "US"},
        "lab_test": {"id": "lipid-panel", "slug": "lipid-panel", "name": "Lipid panel", "sample_type": "serum",
            "method": "walk_in_test", "price": 34.5, "is_active": true, "status": "active"},
        "details": {"type": "walk_in_test", "data": {}},
        "created_at": event["created_at"], "updated_at": event["created_at"], "events": [event],
        "status": "received", "last_event": event, "has_abn": false,
    });
    let line = format!("{}\n", json!({"order": {"order": order}}));
    let output = fixture.import(&line, &[]);
    assert!(output.status.success(), "{}", error(&output));
    fixture
}

fn step(status: &str, hour: u8) -> Value {
    json!({"lab_order_updated": {"team_id": TEAM, "user_id": USER, "order_id": ORDER, "status": status,
        "created_at": format!("2026-03-03T{hour:02}:00:00Z")}})
}

fn results(status: &str, hour: u8) -> Value {
    json!({"lab_result": {"team_id": TEAM, "user_id": USER, "order_id": ORDER,
        "metadata": {"date_reported": format!("2026-03-04T{hour:02}:00:00Z"), "specimen_number": "S-1", "status": status},
        "results": [{"name": "Cholesterol", "result": "wombat 199", "type": "comment"}]}})
}

/// Posts an empty object, and returns the status of the response.
fn post(serving: &Serving, path: &str, (name, key): (&str, &str)) -> u16 {
    let request = reqwest::Client::new().post(format!("http://{}{path}", serving.address));
    let request = request.header(name, key).json(&json!({}));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let response = runtime.expect("a runtime").block_on(request.send());
    response.expect("a response").status().as_u16()
}

/// Returns the order of an export.
fn held(fixture: &Fixture) -> Value {
    let export = fixture.export();
    let lines = export
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let mut orders = lines.filter_map(|line| line.get("order").cloned());
    orders.next().expect("an order")
}

#[test]
fn a_lab_reports_lines_that_are_checked_one_by_one() {
    let fixture = fixture();
    let good = [
        step("received.walk_in_test.requisition_created", 8),
        step("collecting_sample.walk_in_test.draw_completed", 9),
        results("partial", 8),
        results("final", 9),
    ];
    let schema = Command::new(env!("CARGO_BIN_EXE_wearlab"))
        .args(["schema", "ingest"])
        .output();
    let schema: Value = serde_json::from_slice(&schema.expect("the binary runs").stdout).expect("JSON");
    let schema = jsonschema::validator_for(&schema).expect("a schema");
    assert!(good.iter().all(|line| schema.is_valid(line)));
    let bad = [
        (
            step("received.testkit.ordered", 10),
            "lab_order_updated.status: `received.testkit.ordered` is a step of another method",
        ),
        (step("received.walk_in_test.ordered", 23), "cannot follow"),
        (
            step("quokka", 10),
            "lab_order_updated.status: expected `status.method.step`",
        ),
    ];
    let lines: Vec<_> = good
        .iter()
        .take(2)
        .chain(bad.iter().map(|(line, _)| line))
        .chain(&good[2..])
        .collect();
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let output = ingest(&fixture, &text, &[]);
    let message = error(&output);
    assert!(!output.status.success(), "{message}");
    for (_, reason) in &bad {
        assert!(message.contains(reason), "{reason}: {message}");
    }
    assert!(
        !message.contains("quokka") && message.contains("allowed here: "),
        "{message}"
    );
    let order = held(&fixture);
    assert_eq!(
        order["order"]["last_event"]["status"],
        "completed.walk_in_test.completed"
    );
    assert_eq!(order["order"]["events"].as_array().map(Vec::len), Some(5), "{order}");
    assert_eq!(order["results"]["results"][0]["result"]["result"], "wombat 199");
    // A repeat of all lines changes nothing.
    let again: String = good.iter().map(|line| format!("{line}\n")).collect();
    let output = ingest(&fixture, &again, &[]);
    assert!(output.status.success(), "{}", error(&output));
    assert_eq!(held(&fixture), order);
}

#[test]
fn an_order_is_exported_and_imported_as_it_is() {
    let fixture = fixture();
    ingest(&fixture, &format!("{}\n", results("final", 9)), &[]);
    let (export, copy) = (fixture.export(), Fixture::new());
    let output = copy.import(&export, &[]);
    assert!(output.status.success(), "{}", error(&output));
    assert_eq!(held(&copy), held(&fixture));
}

#[test]
fn a_service_that_is_no_demo_moves_no_orders_and_keeps_nothing_of_who_is_deleted() {
    let fixture = fixture();
    ingest(&fixture, &format!("{}\n", results("final", 9)), &[]);
    let made = fixture.says(&["keys", "create", "--team", TEAM, "--scope", "read,write"]);
    let key = ("x-service-api-key", made.trim());
    let serving = Serving::start(&fixture, &[]);
    let path = format!("/v3/order/{ORDER}");
    assert_eq!(serving.get(&path, &[key]).status, 200);
    let moved = post(&serving, &format!("{path}/test"), key);
    assert_eq!(moved, 404);
    let form = try_ask("HEAD", &serving.address, &format!("{path}/requisition/pdf"), &[key]);
    assert_eq!(form.expect("a response").status, 200);
    let deleted = try_ask("DELETE", &serving.address, &format!("/v2/user/{USER}"), &[key]);
    assert_eq!(deleted.expect("a response").status, 200);
    assert_eq!(serving.get(&path, &[key]).status, 404);
    let traces = || {
        let files = fs::read_dir(fixture.data()).expect("reads");
        let bytes = files.map(|file| fs::read(file.expect("a file").path()).unwrap_or_default());
        let hidden = ["Quokka", "Wombat", "wombat 199", "17 Quokka"];
        let has = |bytes: &Vec<u8>, text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
        bytes.filter(|bytes| hidden.iter().any(|text| has(bytes, text))).count()
    };
    let began = Instant::now();
    while traces() > 0 {
        assert!(began.elapsed() < TIMEOUT, "names are still in the files");
        thread::sleep(Duration::from_millis(50));
    }
    assert!(!serving.log().to_lowercase().contains("quokka"));
}
