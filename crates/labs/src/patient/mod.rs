//! Checks of the patient, the address and the physician of an order.
//!
//! Each violation has a location in the request's body, a code and a message without the value. All violations are
//! returned together. "Today" is a parameter.
//!
//! ```
//! use chrono::NaiveDate;
//! use wearlab_labs::patient::{PatientDetails, ViolationCode};
//!
//! let patient = PatientDetails {
//!     first_name: "Ada",
//!     last_name: "Lovelace",
//!     dob: NaiveDate::from_ymd_opt(1985, 12, 10).unwrap(),
//!     gender: "female",
//!     phone_number: "415 555 0132",
//!     email: "ada@example.com",
//! };
//! let today = NaiveDate::from_ymd_opt(2026, 3, 1).unwrap();
//! let violations = patient.check("/patient_details", today);
//! assert_eq!(violations[0].location, "/patient_details/phone_number");
//! assert_eq!(violations[0].code, ViolationCode::Malformed);
//! ```

mod address;
mod age;
mod contact;
mod countries;
mod details;
mod npi;
mod states;
mod text;
mod violation;

pub use self::address::PatientAddress;
pub use self::age::{age, check_activate_by};
pub use self::contact::{is_email, is_phone_number};
pub use self::countries::{COUNTRIES, is_country};
pub use self::details::{GENDERS, PatientDetails};
pub use self::npi::{check_npi, is_npi};
pub use self::states::{US_STATES, is_us_state};
pub use self::violation::{Violation, ViolationCode};
