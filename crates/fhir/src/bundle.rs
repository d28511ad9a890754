//! Bundle: its resources, each under the URL that the others refer to.

use serde_json::{Map, Value, json};
use uuid::Uuid;
use wearlab_models::{LabResults, Order};

use crate::dates::instant;
use crate::links::Links;
use crate::prune::prune;
use crate::resources::{
    diagnostic_report, missing, observation, organization, patient, practitioner, service_request, specimen,
};
use crate::source::Source;

/// Creates the Bundle of FHIR R4, of type `collection`, for an order and its results.
///
/// Ids are UUIDs (version 5) that follow from the order's, so that a bundle of later results refers to the same resources.
pub fn bundle(order: &Order, results: &LabResults) -> Value {
    let source = Source {
        order,
        results,
        links: Links::new(order, results),
    };
    let links = &source.links;
    let mut entries = vec![
        entry(links.patient, patient::resource(&source)),
        entry(links.request, service_request::resource(&source)),
        entry(links.report, diagnostic_report::resource(&source)),
    ];
    let missing = results.missing_results.iter().flatten();
    let observations = results
        .results
        .iter()
        .map(|result| observation::resource(&source, result))
        .chain(missing.map(|result| missing::resource(&source, result)));
    entries.extend(
        links
            .observations
            .iter()
            .zip(observations)
            .map(|(id, resource)| entry(*id, resource)),
    );
    let optional = [
        (links.specimen, specimen::resource(&source)),
        (links.physician, practitioner::resource(&source)),
        (links.lab, organization::ordered(&source)),
        (links.reporter, organization::reporting(&source)),
    ];
    entries.extend(
        optional
            .into_iter()
            .filter_map(|(id, resource)| Some(entry(id?, resource))),
    );
    prune(json!({
        "resourceType": "Bundle",
        "id": links.bundle,
        "type": "collection",
        "timestamp": instant(results.metadata.date_reported),
        "entry": entries,
    }))
}

/// Creates an entry, whose resource has the id of its URL.
fn entry(id: Uuid, resource: Value) -> Value {
    let mut with_id = Map::new();
    if let Value::Object(members) = resource {
        for (name, value) in members {
            let is_type = name == "resourceType";
            with_id.insert(name, value);
            if is_type {
                with_id.insert("id".into(), json!(id));
            }
        }
    }
    json!({"fullUrl": crate::links::urn(id), "resource": with_id})
}
