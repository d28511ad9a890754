//! Patient of the order. If the patient was deleted, it has only the data of the results.

use serde_json::{Value, json};
use wearlab_models::{Gender, PatientAddress};

use crate::dates::day;
use crate::links::identifier;
use crate::source::Source;

pub(crate) fn resource(source: &Source<'_>) -> Value {
    let metadata = &source.results.metadata;
    let details = source.order.patient_details.as_ref();
    let name = match details {
        Some(details) => json!([{"use": "official", "family": details.last_name, "given": [details.first_name]}]),
        None => json!([{"text": metadata.patient}]),
    };
    json!({
        "resourceType": "Patient",
        "identifier": [identifier(source.order.user_id)],
        "name": name,
        "telecom": details.map(|details| [
            contact("phone", Some(&details.phone_number)),
            contact("email", Some(&details.email)),
        ]),
        "gender": details.map(|details| gender(&details.gender)),
        "birthDate": day(details.map_or(metadata.dob, |details| details.dob)),
        "address": source.order.patient_address.as_ref().map(|home| [address(home)]),
    })
}

/// Creates the contact of a phone number or an email address.
pub(crate) fn contact(system: &str, value: Option<&str>) -> Value {
    let value = value.filter(|value| !crate::prune::is_blank(value));
    value.map_or(Value::Null, |value| json!({"system": system, "value": value}))
}

fn gender(gender: &Gender) -> &'static str {
    match gender {
        Gender::Male => "male",
        Gender::Female => "female",
        Gender::OtherGender => "other",
        _ => "unknown",
    }
}

fn address(address: &PatientAddress) -> Value {
    json!({
        "use": "home",
        "line": [address.first_line, address.second_line],
        "city": address.city,
        "state": address.state,
        "postalCode": address.zip,
        "country": address.country,
    })
}
