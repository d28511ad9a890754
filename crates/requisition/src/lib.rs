//! Requisition form of a lab order as a PDF, for phlebotomists and lab staff.
//!
//! ```
//! # use wearlab_requisition::{Address, Marker, Patient, Requisition, Test};
//! let requisition = Requisition::builder()
//!     .order_id("3fa85f64-5717-4562-b3fc-2c963f66afa6".parse()?)
//!     .created_at("2026-04-01T09:30:00Z".parse()?)
//!     .ordered_by("Example Health")
//!     .patient(
//!         Patient::builder()
//!             .first_name("Ada")
//!             .last_name("Lovelace")
//!             .dob("1985-12-10".parse()?)
//!             .gender("female")
//!             .build(),
//!     )
//!     .address(
//!         Address::builder()
//!             .first_line("12 Main Street")
//!             .city("Springfield")
//!             .state("IL")
//!             .zip("62701")
//!             .country("US")
//!             .build(),
//!     )
//!     .tests(vec![
//!         Test::builder()
//!             .name("Lipid panel")
//!             .markers(vec![Marker::builder().name("HDL cholesterol").provider_id("220").build()])
//!             .build(),
//!     ])
//!     .build();
//! assert!(requisition.to_pdf()?.starts_with(b"%PDF-1.7"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod barcode;
mod collection;
mod composer;
mod error;
mod font;
mod form;
mod format;
#[cfg(test)]
mod hostile;
mod input;
mod masthead;
mod page;
mod panels;
mod render;
mod structure;
mod table;
mod text;

pub use error::Error;
pub use input::{Address, Answer, Consent, Diagnosis, Insurance, Lab, Marker, Patient, Physician, Requisition, Test};

impl Requisition {
    /// Writes the form, on pages of US letter: PDF/A-2a and PDF/UA-1. The same values give the same bytes.
    pub fn to_pdf(&self) -> Result<Vec<u8>, Error> {
        form::pdf(self)
    }
}
