//! Bodies of several parts (`multipart/form-data`): the parts of a value, and the value of parts.
//!
//! A member of an object is a part, and each item of a list is one. Scalars are texts, objects and maps are JSON.

#![doc(hidden)]
#[cfg(feature = "multipart")]
mod parse;
mod received;

use bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::file_part::numbered;
use crate::{FileContent, FilePart};

#[cfg(feature = "multipart")]
pub use parse::{Malformed, parse};
pub use received::{Received, Wrong, received};

const JSON: &str = "application/json";

/// The parts of a name, by the document.
pub struct Field {
    pub name: &'static str,
    pub kind: FieldKind,
    /// True if there may be several.
    pub list: bool,
    /// The media types that the document names, such as `image/png` or `image/*`. Without, those of the kind.
    pub content_types: &'static [&'static str],
}

impl Field {
    /// A text for a scalar.
    pub const fn text(name: &'static str) -> Self {
        Self::of_kind(name, FieldKind::Text)
    }

    /// JSON for an object or a map.
    pub const fn json(name: &'static str) -> Self {
        Self::of_kind(name, FieldKind::Json)
    }

    /// A file.
    pub const fn file(name: &'static str) -> Self {
        Self::of_kind(name, FieldKind::File)
    }

    const fn of_kind(name: &'static str, kind: FieldKind) -> Self {
        Self {
            name,
            kind,
            list: false,
            content_types: &[],
        }
    }

    /// Parts of one name, each of which is an item.
    #[must_use]
    pub const fn list(self) -> Self {
        Self { list: true, ..self }
    }

    /// Parts of these media types alone.
    #[must_use]
    pub const fn of(self, content_types: &'static [&'static str]) -> Self {
        Self { content_types, ..self }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    Text,
    Json,
    File,
}

/// A part as it is sent.
#[derive(Debug, PartialEq)]
pub struct Part {
    pub name: String,
    pub filename: Option<String>,
    pub content_type: Option<String>,
    pub content: FileContent,
}

/// The parts of an object. Null members are not sent.
///
/// # Errors
///
/// The value cannot be encoded, or is not an object.
pub fn parts<T: Serialize>(value: &T, fields: &[Field]) -> Result<Vec<Part>, serde_json::Error> {
    let (value, files) = numbered(Vec::new(), || serde_json::to_value(value));
    let Value::Object(members) = value? else {
        return Err(serde::ser::Error::custom("a body of several parts is an object"));
    };
    let mut parts = Vec::new();
    for (name, member) in &members {
        let field = fields.iter().find(|field| field.name == name);
        let items = match member {
            Value::Null => &[],
            Value::Array(items) if field.is_some_and(|field| field.list) => items.as_slice(),
            one => std::slice::from_ref(one),
        };
        parts.extend(items.iter().map(|item| part(name, field, item, &files)));
    }
    Ok(parts)
}

fn part(name: &str, field: Option<&Field>, value: &Value, files: &[FilePart]) -> Part {
    let kind = field.map_or(FieldKind::Json, |field| field.kind);
    let named = field.and_then(|field| field.content_types.iter().find(|named| !named.contains('*')));
    let named = named.map(|named| (*named).to_owned());
    let file = value["file"]
        .as_u64()
        .and_then(|index| files.get(usize::try_from(index).ok()?));
    let (filename, content_type, content) = match (kind, file, value) {
        // Receivers recognise a file by its name.
        (FieldKind::File, Some(file), _) => (
            Some(file.filename().unwrap_or(name).to_owned()),
            file.content_type()
                .map(str::to_owned)
                .or(named)
                .or(Some("application/octet-stream".to_owned())),
            file.content().clone(),
        ),
        (FieldKind::Text, _, Value::String(text)) => (None, named, whole(text.clone())),
        (FieldKind::Text, ..) => (None, named, whole(value.to_string())),
        _ => (None, named.or(Some(JSON.to_owned())), whole(value.to_string())),
    };
    Part {
        name: name.to_owned(),
        filename,
        content_type,
        content,
    }
}

fn whole(text: String) -> FileContent {
    FileContent::Bytes(Bytes::from(text))
}

/// Runs a reader of a value of parts, whose files are numbers.
pub fn with_files<R>(files: Vec<FilePart>, run: impl FnOnce() -> R) -> R {
    numbered(files, run).0
}

/// The member of an object that refers to a file, among those of [`with_files`].
pub fn file(index: usize, file: &FilePart) -> Value {
    serde_json::json!({ "file": index, "length": file.length() })
}

/// Reads an object whose files are numbers.
///
/// # Errors
///
/// It is another value.
pub fn value<T: DeserializeOwned>(value: Value, files: Vec<FilePart>) -> Result<T, serde_json::Error> {
    with_files(files, || serde_json::from_value(value))
}

#[cfg(test)]
mod tests;
