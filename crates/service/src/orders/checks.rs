//! Requirements of labs for patients, addresses and physicians.

use chrono::NaiveDate;
use wearlab_labs::patient::{self, check_activate_by, check_npi, is_email, is_phone_number, is_us_state};
use wearlab_models::{NewOrder, PatientAddress, PatientDetails, Physician, Violation};

use super::tests_ordered::at_location;

/// Adds the violations of the people of an order, and of its activation date.
pub(super) fn people(body: &NewOrder, today: NaiveDate, violations: &mut Vec<Violation>) {
    let mut add = |found: Vec<patient::Violation>| violations.extend(found.into_iter().map(located));
    add(details(&body.patient_details).check("/body/patient_details", today));
    add(address(&body.patient_address).check("/body/patient_address"));
    if let Some(day) = body.activate_by {
        // West of Greenwich it may still be yesterday.
        let earliest = today.pred_opt().unwrap_or(today);
        add(check_activate_by(day, earliest, "/body/activate_by")
            .into_iter()
            .collect());
    }
    if let Some(physician) = &body.physician {
        add(check_npi(&physician.npi, "/body/physician/npi").into_iter().collect());
        self::physician(physician, violations);
    }
    let phone = body.patient_address.phone_number.as_deref();
    if phone.is_some_and(|phone| !is_phone_number(phone)) {
        let message = "must be a phone number in E.164, such as +15035550142";
        violations.push(at_location("/body/patient_address/phone_number", "malformed", message));
    }
}

fn physician(physician: &Physician, violations: &mut Vec<Violation>) {
    if physician.email.as_deref().is_some_and(|email| !is_email(email)) {
        violations.push(at_location(
            "/body/physician/email",
            "malformed",
            "must be an email address",
        ));
    }
    for (index, state) in physician.licensed_states.iter().flatten().enumerate() {
        if !is_us_state(state) {
            let location = format!("/body/physician/licensed_states/{index}");
            violations.push(at_location(
                location,
                "unknown_value",
                "must be the code of a state, such as OR",
            ));
        }
    }
}

fn details(details: &PatientDetails) -> patient::PatientDetails<'_> {
    patient::PatientDetails {
        first_name: &details.first_name,
        last_name: &details.last_name,
        dob: details.dob,
        gender: details.gender.as_str(),
        phone_number: &details.phone_number,
        email: &details.email,
    }
}

fn address(address: &PatientAddress) -> patient::PatientAddress<'_> {
    patient::PatientAddress {
        receiver_name: address.receiver_name.as_deref(),
        first_line: &address.first_line,
        second_line: address.second_line.as_deref(),
        city: &address.city,
        state: &address.state,
        zip: &address.zip,
        country: &address.country,
    }
}

fn located(violation: patient::Violation) -> Violation {
    at_location(violation.location, violation.code.as_str(), &violation.message)
}
