//! Assembles a value from received parts.

use serde_json::{Map, Value};

use super::{Field, FieldKind, JSON, Part, file};
use crate::{FileContent, FilePart};

/// Received parts: an object whose scalars are texts, the files that are numbers in it, and the errors.
#[derive(Debug, Default)]
pub struct Received {
    pub value: Map<String, Value>,
    /// The members that are texts, whatever their meaning.
    pub texts: Vec<&'static str>,
    pub files: Vec<FilePart>,
    pub wrong: Vec<Wrong>,
}

/// Error of a part; the index is that of its item in a list.
#[derive(Debug, PartialEq)]
pub struct Wrong {
    pub name: String,
    pub index: Option<usize>,
    pub code: &'static str,
    pub message: String,
}

/// Reads parts. Of those that the document does not name, only the name is kept.
pub fn received(parts: Vec<Part>, fields: &[Field]) -> Received {
    let mut received = Received::default();
    for part in parts {
        match fields.iter().find(|field| field.name == part.name) {
            Some(field) => received.add(field, part),
            None => drop(received.value.insert(part.name, Value::Null)),
        }
    }
    received
}

impl Received {
    fn add(&mut self, field: &Field, part: Part) {
        let before = self.value.get(field.name);
        if before.is_none() && field.kind == FieldKind::Text {
            self.texts.push(field.name);
        }
        let index = field.list.then(|| before.and_then(Value::as_array).map_or(0, Vec::len));
        let value = if before.is_some() && !field.list {
            Err(("repeated", "must be given once".to_owned()))
        } else if !is_allowed(field, part.content_type.as_deref()) {
            Err(("media_type", format!("must be {}", allowed(field))))
        } else {
            self.read(field.kind, part)
        };
        let value = value.unwrap_or_else(|(code, message)| {
            let name = field.name.to_owned();
            self.wrong.push(Wrong {
                name,
                index,
                code,
                message,
            });
            Value::Null
        });
        match self.value.get_mut(field.name) {
            Some(Value::Array(items)) if field.list => items.push(value),
            Some(_) => {}
            None => {
                let value = if field.list { Value::Array(vec![value]) } else { value };
                self.value.insert(field.name.to_owned(), value);
            }
        }
    }

    fn read(&mut self, kind: FieldKind, part: Part) -> Result<Value, (&'static str, String)> {
        let FileContent::Bytes(bytes) = &part.content else {
            return Err(("malformed", "must be bytes".to_owned()));
        };
        match kind {
            FieldKind::Text => match std::str::from_utf8(bytes) {
                Ok(text) => Ok(text.into()),
                Err(_) => Err(("malformed", "must be UTF-8 text".to_owned())),
            },
            FieldKind::Json => serde_json::from_slice(bytes).map_err(|_| ("malformed", "must be JSON".to_owned())),
            FieldKind::File => {
                let mut file = FilePart::new(bytes.clone());
                if let Some(name) = part.filename {
                    file = file.with_filename(name);
                }
                if let Some(media_type) = part.content_type {
                    file = file.with_content_type(media_type);
                }
                self.files.push(file);
                let last = self.files.len() - 1;
                Ok(self::file(last, &self.files[last]))
            }
        }
    }
}

/// Returns whether a part may have a media type. One without is only rejected if the document names some for files.
fn is_allowed(field: &Field, found: Option<&str>) -> bool {
    let Some(found) = found else {
        return field.kind != FieldKind::File || field.content_types.is_empty();
    };
    let found = found.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let fits = |wanted: &&'static str| match wanted.to_ascii_lowercase().strip_suffix("/*") {
        Some(kind) => kind == "*" || found.split('/').next() == Some(kind),
        None => found.eq_ignore_ascii_case(wanted),
    };
    match field.kind {
        _ if !field.content_types.is_empty() => field.content_types.iter().any(fits),
        FieldKind::File => true,
        FieldKind::Text => found.starts_with("text/"),
        FieldKind::Json => found == JSON || found.ends_with("+json"),
    }
}

fn allowed(field: &Field) -> String {
    match field.kind {
        _ if !field.content_types.is_empty() => field.content_types.join(" or "),
        FieldKind::Json => JSON.to_owned(),
        _ => "text/plain".to_owned(),
    }
}
