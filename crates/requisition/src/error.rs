//! Errors of writing a form.

use krilla::error::KrillaError;

/// Why a form could not be written. It names no value of the order.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A font of this crate cannot be read or embedded.
    #[error("cannot embed the font of the form")]
    Font,
    /// The order id has no barcode.
    #[error("cannot make a barcode of the order id")]
    Barcode,
    /// The document would not be PDF/A and PDF/UA.
    #[error("the form violates PDF/A or PDF/UA in {0} places")]
    Validation(usize),
    /// The document cannot be written.
    #[error("cannot write the form as a PDF")]
    Write,
}

/// The errors of krilla hold text of the document, which is the patient's: none of it is kept.
impl From<KrillaError> for Error {
    fn from(error: KrillaError) -> Self {
        match error {
            KrillaError::Font(..) => Self::Font,
            KrillaError::Validation(errors) => Self::Validation(errors.len()),
            _ => Self::Write,
        }
    }
}
