//! Practitioner: the ordering physician, or the name that the lab states.

use serde_json::{Value, json};

use super::patient::contact;
use crate::prune::is_blank;
use crate::source::Source;

const NPI: &str = "http://hl7.org/fhir/sid/us-npi";

pub(crate) fn resource(source: &Source<'_>) -> Value {
    let Some(physician) = &source.order.physician else {
        return json!({
            "resourceType": "Practitioner",
            "name": [{"text": source.results.metadata.provider}],
        });
    };
    let npi = Some(&physician.npi).filter(|npi| !is_blank(npi));
    json!({
        "resourceType": "Practitioner",
        "identifier": npi.map(|npi| [json!({"system": NPI, "value": npi})]),
        "name": [{"family": physician.last_name, "given": [physician.first_name]}],
        "telecom": [contact("email", physician.email.as_deref())],
    })
}
