//! Input of a requisition form: plain values, selected by the caller, without formatting.

#[cfg(not(test))]
use std::fmt;

use bon::Builder;
use chrono::{DateTime, NaiveDate, Utc};
use uuid::Uuid;

/// Lab order, as its requisition form shows it.
///
/// Texts may be of any length, in any script. Names of the API such as `walk_in_test` are shown as words.
#[derive(Clone, PartialEq, Builder)]
#[cfg_attr(test, derive(Debug))]
#[builder(on(String, into))]
#[non_exhaustive]
pub struct Requisition {
    /// Id of the order, which the barcode has.
    pub order_id: Uuid,
    /// Time of the order. This is also the creation date of the document, so that an order has one form.
    pub created_at: DateTime<Utc>,
    /// Team that ordered: its name, or else its id.
    pub ordered_by: String,
    /// True if the lab should process the order first.
    #[builder(default)]
    pub priority: bool,
    /// Collection method, such as `walk_in_test`.
    pub collection_method: Option<String>,
    /// Last day on which the order is activated.
    pub activate_by: Option<NaiveDate>,
    /// Payer, such as `client_bill`.
    pub billing_type: Option<String>,
    /// Patient whose sample it is.
    pub patient: Patient,
    /// Address of the patient.
    pub address: Address,
    /// Lab that tests the sample.
    pub lab: Option<Lab>,
    /// Ordering physician.
    pub physician: Option<Physician>,
    /// Insurance of the patient.
    pub insurance: Option<Insurance>,
    /// Ordered tests.
    #[builder(default)]
    pub tests: Vec<Test>,
    /// Diagnoses that are the reason for the tests.
    #[builder(default)]
    pub diagnoses: Vec<Diagnosis>,
    /// Answers to the lab's questions at order entry.
    #[builder(default)]
    pub answers: Vec<Answer>,
    /// Notes for the lab. Line breaks are kept.
    pub clinical_notes: Option<String>,
    /// Consents of the patient.
    #[builder(default)]
    pub consents: Vec<Consent>,
}

/// Patient whose sample it is.
#[derive(Clone, PartialEq, Builder)]
#[cfg_attr(test, derive(Debug))]
#[builder(on(String, into))]
#[non_exhaustive]
pub struct Patient {
    /// Given name.
    pub first_name: String,
    /// Family name.
    pub last_name: String,
    /// Date of birth.
    pub dob: NaiveDate,
    /// Gender, such as `female`.
    pub gender: String,
    /// Telephone number.
    pub phone_number: Option<String>,
    /// Email address.
    pub email: Option<String>,
}

/// Postal address.
#[derive(Clone, PartialEq, Builder)]
#[cfg_attr(test, derive(Debug))]
#[builder(on(String, into))]
#[non_exhaustive]
pub struct Address {
    /// Recipient of mail, if not the patient.
    pub receiver_name: Option<String>,
    /// Street and number.
    pub first_line: String,
    /// Further address line, such as the number of a flat.
    pub second_line: Option<String>,
    /// City.
    pub city: String,
    /// State, such as `CA`.
    pub state: String,
    /// ZIP code.
    pub zip: String,
    /// Country, such as `US`.
    pub country: String,
    /// Access notes for a collector.
    pub access_notes: Option<String>,
}

/// Lab that tests the sample.
#[derive(Clone, PartialEq, Builder)]
#[cfg_attr(test, derive(Debug))]
#[builder(on(String, into))]
#[non_exhaustive]
pub struct Lab {
    /// Name of the lab.
    pub name: String,
    /// Street and number.
    pub first_line_address: Option<String>,
    /// City.
    pub city: Option<String>,
    /// ZIP code.
    pub zipcode: Option<String>,
}

/// Ordering physician.
#[derive(Clone, PartialEq, Builder)]
#[cfg_attr(test, derive(Debug))]
#[builder(on(String, into))]
#[non_exhaustive]
pub struct Physician {
    /// Given name.
    pub first_name: String,
    /// Family name.
    pub last_name: String,
    /// National provider identifier.
    pub npi: String,
    /// Telephone number.
    pub phone_number: Option<String>,
    /// Email address.
    pub email: Option<String>,
}

/// Insurance of the patient.
#[derive(Clone, PartialEq, Builder)]
#[cfg_attr(test, derive(Debug))]
#[builder(on(String, into))]
#[non_exhaustive]
pub struct Insurance {
    /// Name of the payer.
    pub payer_name: Option<String>,
    /// Code of the payer.
    pub payer_code: Option<String>,
    /// Number of the member.
    pub member_id: Option<String>,
    /// Number of the group.
    pub group_id: Option<String>,
    /// Relationship of the patient to the insured, such as `self`.
    pub relationship: Option<String>,
    /// Name of the insured, if not the patient.
    pub insured_name: Option<String>,
    /// Date of birth of the insured.
    pub insured_dob: Option<NaiveDate>,
}

/// Lab test of the order.
#[derive(Clone, PartialEq, Builder)]
#[cfg_attr(test, derive(Debug))]
#[builder(on(String, into))]
#[non_exhaustive]
pub struct Test {
    /// Name of the test.
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
    /// Name of the marker.
    pub name: String,
    /// Code of the lab.
    pub provider_id: Option<String>,
    /// LOINC codes of the expected results.
    #[builder(default)]
    pub loinc: Vec<String>,
}

/// Diagnosis that is a reason for the tests.
#[derive(Clone, PartialEq, Builder)]
#[cfg_attr(test, derive(Debug))]
#[builder(on(String, into))]
#[non_exhaustive]
pub struct Diagnosis {
    /// ICD-10-CM code, such as `E11.9`.
    pub code: String,
    /// Description of the code.
    pub description: String,
}

/// Answer to a question of the lab at order entry.
#[derive(Clone, PartialEq, Builder)]
#[cfg_attr(test, derive(Debug))]
#[builder(on(String, into))]
#[non_exhaustive]
pub struct Answer {
    /// Question of the lab.
    pub question: String,
    /// Answer as text.
    pub answer: String,
}

/// Consents of the patient.
#[derive(Clone, PartialEq, Builder)]
#[cfg_attr(test, derive(Debug))]
#[builder(on(String, into))]
#[non_exhaustive]
pub struct Consent {
    /// Name of the consent, such as `terms-of-use`.
    pub name: String,
    /// Version of the text.
    pub version: Option<String>,
    /// Time of the consent.
    pub given_at: Option<DateTime<Utc>>,
}

/// Omits all data of the patient, except in tests of this crate, whose patients are made up.
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
