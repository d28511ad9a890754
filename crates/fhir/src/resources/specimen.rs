//! Specimen: the sample, by the lab's number of it.

use serde_json::{Value, json};

use crate::dates::instant;
use crate::links::reference;
use crate::source::Source;

pub(crate) fn resource(source: &Source<'_>) -> Value {
    let metadata = &source.results.metadata;
    let collected = metadata.date_collected.map(instant);
    json!({
        "resourceType": "Specimen",
        "accessionIdentifier": {"value": metadata.specimen_number},
        "type": {"text": source.order.lab_test.sample_type.as_str().replace('_', " ")},
        "subject": reference(source.links.patient),
        "receivedTime": metadata.date_received.map(instant),
        "request": [reference(source.links.request)],
        "collection": {"collectedDateTime": collected},
    })
}
