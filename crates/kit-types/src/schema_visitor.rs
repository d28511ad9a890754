//! Visitor of the type of a schema, which an attribute of an enum's value names.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Receives a type that only a value at run time names.
///
/// Generated enums with `x-value-attributes` call it.
pub trait SchemaVisitor {
    /// Result of the visit.
    type Output;

    /// Visits the type of the schema.
    fn visit<T: Serialize + DeserializeOwned>(self) -> Self::Output;
}
