//! Uses the deprecated schema: an unfulfilled expectation is an error here.

use wearlab_models::ExpectedResult;

/// The reader.
#[expect(deprecated, reason = "what this edit is about")]
pub fn loinc(result: &ExpectedResult) -> &wearlab_models::Loinc {
    &result.loinc
}
