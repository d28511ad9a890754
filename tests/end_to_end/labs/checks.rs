//! Validation of orders: all errors together, each with its location, and without values.

use serde_json::{Value, json};
use wearlab_tests::{Running, orders};

use super::Team;

/// Returns the message of each location.
fn messages(problem: &Value) -> Vec<(&str, &str)> {
    let errors = problem["errors"].as_array().expect("errors");
    let pairs = errors.iter().map(|error| {
        let member = |name: &str| error[name].as_str().expect("text");
        (member("location"), member("message"))
    });
    pairs.collect()
}

#[tokio::test]
async fn everything_that_is_wrong_is_in_one_response() {
    let running = Running::start(5).await;
    let team = Team::of(&running);
    let body = json!({
        "user_id": team.user,
        "patient_details": {"first_name": "  ", "last_name": " ", "dob": "2999-01-01", "gender": "female",
            "phone_number": "quokka 503 555", "email": "quokka-at-example"},
        "patient_address": {"first_line": " ", "city": " ", "state": "California", "zip": "quokka", "country": "US",
            "phone_number": "quokka"},
        "order_set": {"lab_test_ids": ["quokka-panel", team.test],
            "add_on": {"marker_ids": [999_999], "provider_ids": ["quokka"]}},
        "collection_method": "quokka_express",
        "physician": {"first_name": "Ines", "last_name": "Marlow", "npi": "1234567890", "email": "quokka",
            "licensed_states": ["OR", "ZZ"]},
        "icd_codes": ["E78.5", "E119", "E11.99"],
        "activate_by": "2020-01-01",
    });
    let before = team.get("/v3/orders").await.ok(200);
    let refused = team.post("/v3/order", &body).await;
    let mut locations = refused.locations();
    locations.sort_unstable();
    let mut expected: Vec<_> = [
        "activate_by",
        "collection_method",
        "icd_codes/2",
        "order_set/add_on/marker_ids/0",
        "order_set/add_on/provider_ids/0",
        "order_set/lab_test_ids/0",
        "patient_address/city",
        "patient_address/first_line",
        "patient_address/phone_number",
        "patient_address/state",
        "patient_address/zip",
        "patient_details/dob",
        "patient_details/email",
        "patient_details/first_name",
        "patient_details/last_name",
        "patient_details/phone_number",
        "physician/email",
        "physician/licensed_states/1",
        "physician/npi",
    ]
    .map(|location| format!("/body/{location}"))
    .into();
    expected.sort_unstable();
    assert_eq!(locations, expected);
    let shown = refused.body.to_string().to_lowercase();
    assert!(!shown.contains("quokka") && !shown.contains("california"), "{shown}");
    let found = messages(&refused.body);
    let message = |location: &str| found.iter().find(|(at, _)| *at == location).expect("is there").1;
    assert!(
        message("/body/icd_codes/2").contains("E11.9 (Type 2 diabetes"),
        "{found:?}"
    );
    assert!(
        message("/body/patient_address/state").contains("did you mean `CA`?"),
        "{found:?}"
    );
    assert_eq!(team.get("/v3/orders").await.ok(200), before, "none was created");
}

#[tokio::test]
async fn each_detail_is_checked_at_its_place() {
    let running = Running::start(5).await;
    let team = Team::of(&running);
    let other_lab = json!({"id": 2, "slug": "other", "name": "Other", "first_line_address": "1 Road", "city": "Salem",
        "zipcode": "97301", "collection_methods": ["walk_in_test"], "sample_types": ["serum"]});
    let marker = |id: i64, lab: i64| {
        json!({"id": id, "name": "M", "slug": "m", "description": "", "lab_id": lab, "provider_id": format!("X{id}"),
            "type": "biomarker", "unit": null, "price": "N/A", "expected_results": []})
    };
    let test = |id: &str, lab: &Value, is_active: bool, method: &str| {
        let marker = marker(
            9_000 + lab["id"].as_i64().unwrap_or_default(),
            lab["id"].as_i64().unwrap_or(1),
        );
        let details = json!({"slug": id, "sample_type": "serum", "method": method, "price": 1.0,
            "is_active": is_active, "status": "active", "lab": lab});
        serde_json::from_value(json!({"lab_test": {"lab_test_id": id, "name": id, "markers": [marker],
            "details": details}}))
        .expect("a record")
    };
    let own_lab = team.get(&format!("/v3/lab_tests/{}", team.test)).await.ok(200)["lab"].clone();
    let records: [wearlab_store::Record; 3] = [
        test("elsewhere", &other_lab, true, "walk_in_test"),
        test("over", &own_lab, false, "walk_in_test"),
        test("by-post", &own_lab, true, "testkit"),
    ];
    let put = running
        .store
        .write(|write| records.iter().try_for_each(|record| write.put(record)));
    put.await.expect("lab tests");
    let set = |ids: Value| json!({ "lab_test_ids": ids });
    for (pointer, value, location) in [
        (
            "/patient_details/first_name",
            json!("\u{7}"),
            "/patient_details/first_name",
        ),
        ("/patient_details/dob", json!("1700-01-01"), "/patient_details/dob"),
        ("/patient_details/dob", json!("01.02.1990"), "/patient_details/dob"),
        (
            "/patient_details/phone_number",
            json!("503 555 0142"),
            "/patient_details/phone_number",
        ),
        (
            "/patient_details/email",
            json!("a@b@example.com"),
            "/patient_details/email",
        ),
        ("/patient_address/country", json!("USA"), "/patient_address/country"),
        ("/patient_address/zip", json!("9720"), "/patient_address/zip"),
        ("/patient_address/state", json!("or"), "/patient_address/state"),
        (
            "/order_set",
            set(json!(["elsewhere", team.test])),
            "/order_set/lab_test_ids/1",
        ),
        (
            "/order_set",
            set(json!([team.test, "by-post"])),
            "/order_set/lab_test_ids/1",
        ),
        (
            "/order_set",
            set(json!([team.test, team.test])),
            "/order_set/lab_test_ids/1",
        ),
        ("/order_set", set(json!(["over"])), "/order_set/lab_test_ids/0"),
        (
            "/order_set",
            json!({"lab_test_ids": [team.test], "add_on": {"marker_ids": [1, 9_002]}}),
            "/order_set/add_on/marker_ids/1",
        ),
        (
            "/order_set",
            json!({"lab_test_ids": [team.test], "add_on": {"provider_ids": ["X9002"]}}),
            "/order_set/add_on/provider_ids/0",
        ),
        // The schema is checked first.
        (
            "/order_set",
            json!({"lab_test_ids": ["a"], "tests": []}),
            "/order_set/tests",
        ),
        ("/patient_details/nickname", json!("Al"), "/patient_details/nickname"),
        ("/coupon", json!("FREE"), "/coupon"),
        ("/icd_codes", json!(["E11.9999999"]), "/icd_codes/0"),
        ("/icd_codes", json!(["E11"]), "/icd_codes/0"),
        ("/passthrough", json!("x".repeat(2001)), "/passthrough"),
        ("/user_id", json!("me"), "/user_id"),
    ] {
        let mut body = orders::new(team.user, &team.test);
        let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
        body.pointer_mut(parent).expect("an object")[name] = value;
        let refused = team.post("/v3/order", &body).await;
        assert_eq!(
            refused.locations(),
            [format!("/body{location}")],
            "{pointer}: {}",
            refused.body
        );
    }
    // The lab of the other test has no kits.
    let mut body = orders::new(team.user, "elsewhere");
    body["collection_method"] = json!("testkit");
    assert_eq!(
        team.post("/v3/order", &body).await.locations(),
        ["/body/collection_method"]
    );
}

#[tokio::test]
async fn patients_abroad_have_other_addresses() {
    let running = Running::start(5).await;
    let team = Team::of(&running);
    for (country, state, zip) in [("DE", "Bayern", "80331"), ("GB", "Kent", "CT1 2EH")] {
        let mut body = orders::new(team.user, &team.test);
        let address = &mut body["patient_address"];
        (address["country"], address["state"], address["zip"]) = (json!(country), json!(state), json!(zip));
        body["patient_details"]["phone_number"] = json!("+4930901820");
        body["patient_details"]["first_name"] = json!("Åse Żaneta 李");
        let created = team.post("/v3/order", &body).await.ok(201);
        assert_eq!(
            created["order"]["patient_details"], body["patient_details"],
            "{country}"
        );
    }
}
