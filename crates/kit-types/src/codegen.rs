//! Imports of generated types.

pub use std::collections::BTreeMap;
pub use std::net::{Ipv4Addr, Ipv6Addr};

pub use serde::{Deserialize, Deserializer, Serialize};
pub use serde_json::value::RawValue;

pub use crate::defaults::{null_as, object_of, present};
pub use crate::file_part::FilePart;
pub use crate::headers::Headers;
pub use crate::lenient::{lenient, lenient_or, lenient_present, null_as_empty};
pub use crate::masked::{SecretPath, Secrets, VisitSecret};
pub use crate::page::{Page, next_cursor, next_offset, next_page};
pub use crate::rounded::rounded;
pub use crate::schema_visitor::SchemaVisitor;
pub use crate::secret::{Redacted, Secret};
pub use crate::{DateTime, JsonObject, JsonValue, NaiveDate, Uuid};
pub use crate::{closed_enum, integer_enum, open_enum, union};

/// Exports of the crate of generated types, beside the types.
pub mod exports {
    pub use crate::{
        DateTime, Encoded, FileContent, FilePart, JsonObject, JsonValue, LineBuffer, MASK, Masked, NaiveDate, Page,
        ParseEnumError, PathSegment, SchemaVisitor, Secret, SecretPath, Secrets, Unknown, UnknownValue, Uuid,
        VisitSecret,
    };
    #[doc(hidden)]
    pub use crate::{carrier, form, multipart, segment};
}

/// The types of problem documents, which generated code exports in place of its own.
pub mod problem {
    pub use crate::problem::{ConflictingObject, Problem, Violation};
}
