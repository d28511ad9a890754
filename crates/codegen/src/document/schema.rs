//! A named schema: an object, an open enum or a closed enum.

use serde_json::Value;

use super::{Docs, Type};

/// A component schema.
pub(crate) struct Schema {
    pub(crate) name: String,
    pub(crate) tag: String,
    pub(crate) docs: Docs,
    pub(crate) kind: SchemaKind,
    /// The default columns of a table.
    pub(crate) columns: Vec<String>,
    /// The schema in the document.
    pub(crate) value: Value,
}

pub(crate) enum SchemaKind {
    Object {
        properties: Vec<Property>,
        /// Whether undeclared members are kept.
        open: bool,
    },
    /// Unknown values are kept.
    OpenEnum(Vec<String>),
    /// Unknown values are rejected.
    ClosedEnum(Vec<String>),
}

/// A property of an object.
pub(crate) struct Property {
    pub(crate) name: String,
    /// Whether readers require it.
    pub(crate) required: bool,
    /// Whether this service always sends it. Readers may not require it, since older payloads lack it.
    pub(crate) sent: bool,
    pub(crate) docs: Docs,
    pub(crate) ty: Type,
    /// Its value when it is null or absent.
    pub(crate) default: Option<Value>,
    /// Whether its value is redacted in `Debug`.
    pub(crate) sensitive: bool,
    /// Whether its type contains the object itself, so that Rust needs a `Box`.
    pub(crate) boxed: bool,
}

impl Schema {
    /// The schemas that its type refers to.
    pub(crate) fn references(&self) -> Vec<&str> {
        let mut names = Vec::new();
        if let SchemaKind::Object { properties, .. } = &self.kind {
            for property in properties {
                property.ty.references(&mut names);
            }
        }
        names
    }
}

impl Type {
    /// The schemas that it refers to, also as the keys of a map.
    pub(crate) fn references<'t>(&'t self, names: &mut Vec<&'t str>) {
        match self {
            Self::Ref(name) => names.push(name),
            Self::Nullable(inner) | Self::Array(inner, _) => inner.references(names),
            Self::Map { keys, values, .. } => {
                names.extend(keys.as_deref());
                values.references(names);
            }
            _ => {}
        }
    }

    /// Whether it refers to a rejected schema.
    pub(super) fn is_broken(&self, schemas: &[Schema]) -> bool {
        match self {
            Self::Ref(name) => !schemas.iter().any(|schema| schema.name == *name),
            Self::Nullable(inner) | Self::Array(inner, _) | Self::Map { values: inner, .. } => inner.is_broken(schemas),
            _ => false,
        }
    }
}
