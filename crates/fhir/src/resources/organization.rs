//! Organization: the lab that received the order, and the one that reported, if it has another name.

use serde_json::{Value, json};

use crate::concepts::concept;
use crate::source::Source;

/// Creates the lab that received the order.
pub(crate) fn ordered(source: &Source<'_>) -> Value {
    let Some(lab) = &source.order.lab_test.lab else {
        return Value::Null;
    };
    json!({
        "resourceType": "Organization",
        "type": [provider()],
        "name": lab.name,
        "address": [{
            "line": [lab.first_line_address],
            "city": lab.city,
            "postalCode": lab.zipcode,
        }],
    })
}

/// Creates the lab that reported.
pub(crate) fn reporting(source: &Source<'_>) -> Value {
    json!({
        "resourceType": "Organization",
        "type": [provider()],
        "name": source.results.metadata.laboratory,
    })
}

fn provider() -> Value {
    concept(
        "http://terminology.hl7.org/CodeSystem/organization-type",
        "prov",
        "Healthcare Provider",
    )
}
