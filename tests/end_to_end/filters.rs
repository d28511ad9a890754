//! Filters of lists: an unknown value matches nothing, and is not ignored.

use serde_json::Value;
use wearlab_server::Operation;
use wearlab_server::operations::Credential;
use wearlab_tests::{QUERY, Running, reads};

/// Value of no enum, and not a slug.
const UNKNOWN: &str = "no-such-value";

/// Filters by free text that is a name in the data.
const NAMES: [&str; 4] = ["provider", "source_type", "event_type", "lab_slug"];

fn resolve<'d>(document: &'d Value, part: &'d Value) -> &'d Value {
    match part["$ref"].as_str() {
        Some(pointer) => {
            let found = document.pointer(pointer.trim_start_matches('#')).expect("a part");
            resolve(document, found)
        }
        None => part,
    }
}

/// Returns the filters of an operation by an open enum, or by a name.
fn filters(document: &Value, operation: &Operation) -> Vec<String> {
    let described = &document["paths"][operation.path]["get"]["parameters"];
    let parameters = described.as_array().into_iter().flatten();
    let mut found = Vec::new();
    for parameter in parameters.map(|parameter| resolve(document, parameter)) {
        let name = parameter["name"].as_str().expect("a name");
        let schema = resolve(document, &parameter["schema"]);
        let item = match schema.get("items") {
            Some(items) => resolve(document, items),
            None => schema,
        };
        let is_open = item.get("x-extensible-enum").is_some();
        if parameter["in"] == "query" && (is_open || NAMES.contains(&name)) {
            found.push(name.to_owned());
        }
    }
    found
}

/// Returns the number of entries in the lists and maps of a response.
fn entries(body: &Value) -> usize {
    match body {
        Value::Array(list) => list.len(),
        Value::Object(members) => {
            let lists = members.values().filter(|value| value.is_array() || value.is_object());
            lists.map(entries).sum()
        }
        _ => 0,
    }
}

#[tokio::test]
async fn an_unknown_value_of_a_filter_finds_nothing() {
    let document: Value = serde_json::from_str(wearlab_server::OPENAPI_JSON).expect("JSON");
    let running = Running::start(12).await;
    let sample = &running.sample;
    let (mut checked, mut telling) = (Vec::new(), 0);
    for operation in reads() {
        let credential = operation.security[0][0];
        let (base, key) = match credential {
            Credential::ManagementKey => (&running.management_url, &sample.management_key),
            _ => (&running.url, &sample.team_api_key),
        };
        let url = format!("{base}{}{QUERY}", running.path(operation.path));
        let read = |url: String| {
            let request = wearlab_tests::http().get(url).header(credential.headers()[0], key);
            async move {
                let response = request.send().await.expect("a response");
                let status = response.status().as_u16();
                let body: Value = response.json().await.unwrap_or_default();
                (status, body)
            }
        };
        // Removes the filter that the URL already has.
        let without = |name: &str| {
            let (path, query) = url.split_once('?').unwrap_or((&url, ""));
            let kept = query.split('&').filter(|pair| !pair.starts_with(&format!("{name}=")));
            format!("{path}?{}", kept.collect::<Vec<_>>().join("&"))
        };
        for name in filters(&document, operation) {
            if operation.id == "get_profile" {
                // No list: a 404 for a provider without a profile.
                continue;
            }
            let (_, all) = read(without(&name)).await;
            let (status, found) = read(format!("{}&{name}={UNKNOWN}", without(&name))).await;
            assert_eq!(status, 200, "{} {name}: {found}", operation.id);
            assert_eq!(entries(&found), 0, "{} {name}: {found}", operation.id);
            telling += usize::from(entries(&all) > 0);
            checked.push(format!("{} {name}", operation.id));
        }
    }
    for filter in [
        "list_orders status",
        "list_orders order_type",
        "list_orders interpretation",
        "list_lab_tests status",
        "list_all_lab_tests collection_method",
        "list_undelivered state",
        "list_connections status",
        "list_events event_type",
        "list_introspected_resources provider",
    ] {
        assert!(checked.iter().any(|found| found == filter), "{filter}: {checked:?}");
    }
    assert!(telling > 10, "{telling} of {checked:?}");
}
