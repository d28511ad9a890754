//! Input of a requisition form: plain values, already chosen and formatted by nobody.

#[cfg(not(test))]
use std::fmt;

use bon::Builder;
use chrono::{DateTime, NaiveDate, Utc};
use uuid::Uuid;

/// A lab order, as its requisition form shows it.
///
/// Texts may be of any length, in any script. Names of the interface such as `walk_in_test` are shown as words.
#[derive(Clone, PartialEq, Builder)]
#[cfg_attr(test, derive(Debug))]
#[builder(on(String, into))]
#[non_exhaustive]
pub struct Requisition {
    /// The order, which the barcode has.
    pub order_id: Uuid,
    /// Time of the order. This is also the creation date of the document, so that an order has one form.
    pub created_at: DateTime<Utc>,
    /// The team that ordered: its name, or else its id.
    pub ordered_by: String,
    /// True if the lab should process the order first.
    #[builder(default)]
    pub priority: bool,
    /// Collection method, such as `walk_in_test`.
    pub collection_method: Option<String>,
    /// The day by which the order is activated.
    pub activate_by: Option<NaiveDate>,
    /// Payer, such as `client_bill`.
    pub billing_type: Option<String>,
    /// Whose sample it is.
    pub patient: Patient,
    /// Address of the patient.
    pub address: Address,
    /// The lab that tests the sample.
    pub lab: Option<Lab>,
    /// Ordering physician.
    pub physician: Option<Physician>,
    /// Insurance of the patient.
    pub insurance: Option<Insurance>,
    /// Ordered tests.
    #[builder(default)]
    pub tests: Vec<Test>,
    /// Why it is tested.
    #[builder(default)]
    pub diagnoses: Vec<Diagnosis>,
    /// Answers to what the lab asks at order entry.
    #[builder(default)]
    pub answers: Vec<Answer>,
    /// Notes for the lab. Line breaks are kept.
    pub clinical_notes: Option<String>,
    /// Consents of the patient.
    #[builder(default)]
    pub consents: Vec<Consent>,
}

/// Whose sample it is.
#[derive(Clone, PartialEq, Builder)]
#[cfg_attr(test, derive(Debug))]
#[builder(on(String, into))]
#[non_exhaustive]
pub struct Patient {
    /// The given name.
    pub first_name: String,
    /// The family name.
    pub last_name: String,
    /// The date of birth.
    pub dob: NaiveDate,
    /// The gender, such as `female`.
    pub gender: String,
    /// The telephone number.
    pub phone_number: Option<String>,
    /// The email address.
    pub email: Option<String>,
}

/// A postal address.
#[derive(Clone, PartialEq, Builder)]
#[cfg_attr(test, derive(Debug))]
#[builder(on(String, into))]
#[non_exhaustive]
pub struct Address {
    /// To whom mail is addressed, where it is not the patient.
    pub receiver_name: Option<String>,
    /// Street and number.
    pub first_line: String,
    /// Such as the number of a flat.
    pub second_line: Option<String>,
    /// The city.
    pub city: String,
    /// The state, such as `CA`.
    pub state: String,
    /// The ZIP code.
    pub zip: String,
    /// The country, such as `US`.
    pub country: String,
    /// Access notes for a collector.
    pub access_notes: Option<String>,
}

/// The lab that tests the sample.
#[derive(Clone, PartialEq, Builder)]
#[cfg_attr(test, derive(Debug))]
#[builder(on(String, into))]
#[non_exhaustive]
pub struct Lab {
    /// Its name.
    pub name: String,
    /// Street and number.
    pub first_line_address: Option<String>,
    /// The city.
    pub city: Option<String>,
    /// The ZIP code.
    pub zipcode: Option<String>,
}

/// Ordering physician.
#[derive(Clone, PartialEq, Builder)]
#[cfg_attr(test, derive(Debug))]
#[builder(on(String, into))]
#[non_exhaustive]
pub struct Physician {
    /// The given name.
    pub first_name: String,
    /// The family name.
    pub last_name: String,
    /// The national provider identifier.
    pub npi: String,
    /// The telephone number.
    pub phone_number: Option<String>,
    /// The email address.
    pub email: Option<String>,
}

/// Insurance of the patient.
#[derive(Clone, PartialEq, Builder)]
#[cfg_attr(test, derive(Debug))]
#[builder(on(String, into))]
#[non_exhaustive]
pub struct Insurance {
    /// The name of the payer.
    pub payer_name: Option<String>,
    /// The code of the payer.
    pub payer_code: Option<String>,
    /// The number of the member.
    pub member_id: Option<String>,
    /// The number of the group.
    pub group_id: Option<String>,
    /// Relationship of the patient to the insured, such as `self`.
    pub relationship: Option<String>,
    /// The insured, if not the patient.
    pub insured_name: Option<String>,
    /// The date of birth of the insured.
    pub insured_dob: Option<NaiveDate>,
}

/// A lab test of the order.
#[derive(Clone, PartialEq, Builder)]
#[cfg_attr(test, derive(Debug))]
#[builder(on(String, into))]
#[non_exhaustive]
pub struct Test {
    /// Its name.
    pub name: String,
    /// Type of the sample, such as `serum`.
    pub sample_type: Option<String>,
    /// True if the patient must have fasted.
    pub fasting: Option<bool>,
    /// Markers that it measures.
    #[builder(default)]
    pub markers: Vec<Marker>,
}

/// Marker that a test measures.
#[derive(Clone, PartialEq, Builder)]
#[cfg_attr(test, derive(Debug))]
#[builder(on(String, into))]
#[non_exhaustive]
pub struct Marker {
    /// Its name.
    pub name: String,
    /// The code of the lab.
    pub provider_id: Option<String>,
    /// The LOINC codes of the results that are expected.
    #[builder(default)]
    pub loinc: Vec<String>,
}

/// Why it is tested.
#[derive(Clone, PartialEq, Builder)]
#[cfg_attr(test, derive(Debug))]
#[builder(on(String, into))]
#[non_exhaustive]
pub struct Diagnosis {
    /// The ICD-10-CM code, such as `E11.9`.
    pub code: String,
    /// Description of the code.
    pub description: String,
}

/// An answer to what the lab asks at order entry.
#[derive(Clone, PartialEq, Builder)]
#[cfg_attr(test, derive(Debug))]
#[builder(on(String, into))]
#[non_exhaustive]
pub struct Answer {
    /// The question.
    pub question: String,
    /// The answer.
    pub answer: String,
}

/// Consents of the patient.
#[derive(Clone, PartialEq, Builder)]
#[cfg_attr(test, derive(Debug))]
#[builder(on(String, into))]
#[non_exhaustive]
pub struct Consent {
    /// Such as `terms-of-use`.
    pub name: String,
    /// Which version of the text.
    pub version: Option<String>,
    /// When.
    pub given_at: Option<DateTime<Utc>>,
}

/// Nothing of a patient is in logs. Tests of this crate show all of it, as they have made it.
#[cfg(not(test))]
impl fmt::Debug for Requisition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Requisition")
            .field("order_id", &self.order_id)
            .finish_non_exhaustive()
    }
}

macro_rules! redacted {
    ($($type:ident),*) => {$(
        #[cfg(not(test))]
        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($type)).finish_non_exhaustive()
            }
        }
    )*};
}

redacted!(
    Patient, Address, Lab, Physician, Insurance, Test, Marker, Diagnosis, Answer, Consent
);
