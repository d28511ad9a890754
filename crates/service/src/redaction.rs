//! Redaction of pipelines in responses: secrets are masked, and blocks of kinds that are not enabled are omitted, which
//! the store keeps.

use wearlab_delivery::pipeline::remove_unused;
use wearlab_models::{Masked, Pipeline, PipelineList};

/// Returns a pipeline for a response.
pub(crate) fn pipeline(mut pipeline: Pipeline) -> Masked<Pipeline> {
    remove_unused(&mut pipeline);
    Masked::new(pipeline)
}

/// Returns a page of pipelines for a response.
pub(crate) fn pipelines(mut page: PipelineList) -> Masked<PipelineList> {
    page.pipelines.iter_mut().for_each(remove_unused);
    Masked::new(page)
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};
    use wearlab_models::{DeliveryKind, Masked, Pipeline, PipelineList};
    use wearlab_server::OPENAPI_JSON;

    const SECRET: &str = "hush";

    /// Returns a value of a schema of the document, with all its properties, and [`SECRET`] in place of passwords.
    fn filled(document: &Value, schema: &Value, secrets: &mut usize) -> Value {
        if let Some(target) = schema["$ref"].as_str() {
            let target = document.pointer(&target[1..]).expect("a schema");
            return filled(document, target, secrets);
        }
        if schema["format"] == "password" {
            *secrets += 1;
            return json!(SECRET);
        }
        if let Some(choices) = schema["anyOf"].as_array() {
            return filled(document, &choices[0], secrets);
        }
        match (schema["type"].as_str(), schema["format"].as_str()) {
            (Some("object"), _) => {
                let properties = schema["properties"].as_object().expect("properties");
                let members = properties.iter();
                let members = members.map(|(name, property)| (name.clone(), filled(document, property, secrets)));
                Value::Object(members.collect::<Map<_, _>>())
            }
            (Some("array"), _) => json!([filled(document, &schema["items"], secrets)]),
            (Some("boolean"), _) => json!(true),
            (Some("integer"), _) => json!(1),
            (Some("string"), Some("uuid")) => json!("0c9e2d44-8a0b-4d5c-8f0e-7a1b2c3d4e5f"),
            (Some("string"), _) => schema["enum"].get(0).cloned().unwrap_or_else(|| json!("text")),
            other => panic!("a type of a pipeline: {other:?}"),
        }
    }

    #[test]
    fn every_password_of_the_document_is_masked_and_every_unused_block_removed() {
        let document: Value = serde_json::from_str(OPENAPI_JSON).expect("JSON");
        let mut secrets = 0;
        let mut pipeline = filled(&document, &document["components"]["schemas"]["Pipeline"], &mut secrets);
        let kinds: Vec<_> = DeliveryKind::KNOWN.iter().map(DeliveryKind::as_str).collect();
        pipeline["preferences"]["enabled"] = json!(kinds);
        let given: Pipeline = serde_json::from_value(pipeline.clone()).expect("a pipeline");
        // All filled members are read: the type has all members of the document.
        assert_eq!(serde_json::to_value(&given).expect("JSON"), pipeline);
        assert_eq!(pipeline.to_string().matches(SECRET).count(), secrets);
        assert!(secrets >= 3);
        let served = super::pipeline(given.clone());
        let page: Value = json!({"pipelines": [pipeline], "next_cursor": null});
        let page: PipelineList = serde_json::from_value(page).expect("a page");
        let page: Masked<PipelineList> = super::pipelines(page);
        for (shown, debug) in [
            (serde_json::to_string(&served), format!("{served:?}{given:?}")),
            (serde_json::to_string(&page), format!("{page:?}")),
        ] {
            let shown = shown.expect("JSON");
            assert!(!shown.contains(SECRET), "{shown}");
            assert!(!debug.contains(SECRET), "{debug}");
            assert_eq!(shown.matches("****").count(), secrets, "{shown}");
            assert!(
                kinds.iter().all(|kind| shown.contains(&format!("\"{kind}\":{{"))),
                "{shown}"
            );
        }

        let mut unused = given;
        unused.preferences.enabled.clear();
        let shown = serde_json::to_string(&super::pipeline(unused)).expect("JSON");
        assert!(
            !kinds.iter().any(|kind| shown.contains(&format!("\"{kind}\":{{"))),
            "{shown}"
        );
    }
}
