//! Every field of every schema that is answered is seen with a value and, where it may be, without one.

use std::collections::BTreeMap;

use serde_json::Value;
use wearlab_tests::Running;

/// What the sample alone cannot show, and where it is shown instead.
const ELSEWHERE: [&str; 5] = [
    // Every pipeline fits on one page: `paging` walks several.
    "PipelineList.next_cursor is never seen with a value",
    // Not required of other services, always sent by this one.
    "ConnectedSource.provider is never seen without a value",
    // Only providers that link by OAuth show their source type; the catalogue's filter knows the others.
    "ProviderSourceType: ble is never seen",
    "ProviderSourceType: lab is never seen",
    // Two of the three pipelines have Event Hubs, each with one setting; another seed draws the third.
    "Compression: always is never seen",
];

/// What was seen of a field.
#[derive(Default)]
struct Seen {
    value: bool,
    none: bool,
    may_be_none: bool,
}

struct Coverage {
    document: Value,
    fields: BTreeMap<String, Seen>,
    enums: BTreeMap<String, BTreeMap<String, bool>>,
}

impl Coverage {
    /// Walks an answer along its schema.
    fn walk(&mut self, schema: &Value, value: &Value) {
        if let Some(name) = schema["$ref"].as_str().and_then(|target| target.rsplit('/').next()) {
            let named = self.document["components"]["schemas"][name].clone();
            return self.named(name, &named, value);
        }
        for choice in schema["oneOf"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|_| !value.is_null())
        {
            self.walk(choice, value);
        }
        for item in value.as_array().into_iter().flatten() {
            self.walk(&schema["items"], item);
        }
        for (key, item) in value
            .as_object()
            .into_iter()
            .flatten()
            .filter(|_| schema["additionalProperties"].is_object())
        {
            self.walk(&schema["propertyNames"], &Value::from(key.as_str()));
            self.walk(&schema["additionalProperties"], item);
        }
    }

    fn named(&mut self, name: &str, schema: &Value, value: &Value) {
        if let Some(known) = schema["x-extensible-enum"].as_array().or(schema["enum"].as_array()) {
            let seen = self.enums.entry(name.to_owned()).or_default();
            for value in known.iter().filter_map(Value::as_str) {
                seen.entry(value.to_owned()).or_default();
            }
            seen.insert(value.as_str().expect("an enum's value").to_owned(), true);
        }
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        for (property, schema) in schema["properties"].as_object().into_iter().flatten() {
            let seen = self.fields.entry(format!("{name}.{property}")).or_default();
            let nullable = schema["oneOf"].is_array() || schema["type"].is_array();
            let optional = nullable || !required.contains(&Value::from(property.as_str()));
            // A field with a default is always written.
            seen.may_be_none = optional && schema.get("default").is_none();
            match value.get(property) {
                None | Some(Value::Null) => seen.none = true,
                Some(field) => {
                    // An optional list that is empty says no more than one that is absent.
                    seen.value |= field.as_array().is_none_or(|list| !list.is_empty());
                    self.walk(schema, field);
                }
            }
        }
    }
}

#[tokio::test]
async fn every_field_is_seen_with_a_value_and_without() {
    let running = Running::start(200).await;
    let document: Value = serde_json::from_str(wearlab_server::OPENAPI_JSON).expect("the document");
    let mut coverage = Coverage {
        document: document.clone(),
        fields: BTreeMap::new(),
        enums: BTreeMap::new(),
    };
    let sample = &running.sample;
    let users = running.json("/v2/user/?limit=500").await;
    let ids: Vec<_> = users["users"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|u| u["user_id"].as_str())
        .collect();
    let mut paths = vec![
        ("/v2/user/", "/v2/user/?limit=500".to_owned()),
        ("/v2/providers/", "/v2/providers/".to_owned()),
        (
            "/v3/lab_tests/{lab_test_id}/markers",
            format!("/v3/lab_tests/{}/markers?size=100", sample.lab_test_id),
        ),
        (
            "/v3/insurance/search/diagnosis",
            "/v3/insurance/search/diagnosis?diagnosis_query=E11".to_owned(),
        ),
        (
            "/v3/order/psc/appointment/cancellation-reasons",
            "/v3/order/psc/appointment/cancellation-reasons".to_owned(),
        ),
    ];
    for id in &ids {
        paths.push(("/v2/user/{user_id}", format!("/v2/user/{id}")));
        paths.push(("/v2/user/providers/{user_id}", format!("/v2/user/providers/{id}")));
        paths.push(("/v2/user/{user_id}/device", format!("/v2/user/{id}/device")));
    }
    for slug in wearlab_models::OAuthProviderSlug::KNOWN {
        paths.push((
            "/v2/link/provider/oauth/{oauth_provider}",
            format!("/v2/link/provider/oauth/{slug}"),
        ));
    }
    for (template, path) in paths {
        let schema = &document["paths"][template]["get"]["responses"]["200"]["content"]["application/json"]["schema"];
        assert!(schema.is_object(), "{template}");
        let answer = running.json(&path).await;
        coverage.walk(schema, &answer);
    }
    for (organisation, key, team) in [
        (&sample.org_id, &sample.management_key, (sample.env, sample.region)),
        (
            &sample.org_id,
            &sample.management_key,
            (sample.other_team.env, sample.other_team.region),
        ),
        (
            &sample.other_organisation.org_id,
            &sample.other_organisation.management_key,
            (
                sample.other_organisation.team.env,
                sample.other_organisation.team.region,
            ),
        ),
    ] {
        let (env, region) = team;
        let answer = running
            .json_as(
                key,
                &format!("/v1/org/{organisation}/team_etl_pipelines/{env}/{region}"),
            )
            .await;
        let template = "/v1/org/{org_id}/team_etl_pipelines/{env}/{region}";
        let schema = &document["paths"][template]["get"]["responses"]["200"]["content"]["application/json"]["schema"];
        coverage.walk(schema, &answer);
    }
    for source_type in ["ble", "lab"] {
        let found = running.json(&format!("/v2/providers/?source_type={source_type}")).await;
        assert!(found.as_array().is_some_and(|list| !list.is_empty()), "{source_type}");
    }

    let mut missing = Vec::new();
    for (field, seen) in &coverage.fields {
        if !seen.value {
            missing.push(format!("{field} is never seen with a value"));
        }
        if seen.may_be_none && !seen.none {
            missing.push(format!("{field} is never seen without a value"));
        }
    }
    for (name, values) in &coverage.enums {
        let unseen = values.iter().filter(|(_, seen)| !**seen);
        missing.extend(unseen.map(|(value, _)| format!("{name}: {value} is never seen")));
    }
    for line in ELSEWHERE {
        assert!(missing.iter().any(|missing| missing == line), "no longer true: {line}");
    }
    missing.retain(|line| !ELSEWHERE.contains(&line.as_str()));
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    assert!(
        coverage.fields.len() > 80,
        "only {} fields were walked",
        coverage.fields.len()
    );
}
