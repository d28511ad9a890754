//! Errors of writing a form.

use krilla::error::KrillaError;

/// Error of writing a form. It contains no value of the order.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Unreadable font of this crate.
    #[error("cannot embed the font of the form")]
    Font,
    /// Order id without a barcode.
    #[error("cannot make a barcode of the order id")]
    Barcode,
    /// Violation of PDF/A or PDF/UA.
    #[error("the form violates PDF/A or PDF/UA in {0} places")]
    Validation(usize),
    /// Failure of writing the document.
    #[error("cannot write the form as a PDF")]
    Write,
}

/// Errors of krilla contain text of the document, which is the patient's: none of it is kept.
impl From<KrillaError> for Error {
    fn from(error: KrillaError) -> Self {
        match error {
            KrillaError::Font(..) => Self::Font,
            KrillaError::Validation(errors) => Self::Validation(errors.len()),
            _ => Self::Write,
        }
    }
}
