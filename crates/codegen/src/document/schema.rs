//! A named schema: an object, an open enum or a closed enum.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::attributes::{Attribute, AttributeValue};
use super::docs::also_named;
use super::{Docs, SizeLimits, Type, rules};
use crate::identifier::{field_name, variant_name};

/// A component schema.
pub(crate) struct Schema {
    pub(crate) name: String,
    pub(crate) tag: String,
    pub(crate) docs: Docs,
    pub(crate) kind: SchemaKind,
    /// Limits of the number of members of an object.
    pub(crate) size: SizeLimits,
    /// The names of variants that the document chooses for values of an enum.
    pub(crate) variants: BTreeMap<String, String>,
    /// The default columns of a table.
    pub(crate) columns: Vec<String>,
    /// The attributes of the values of an enum.
    pub(crate) attributes: Vec<Attribute>,
    /// The schema in the document.
    pub(crate) value: Value,
}

pub(crate) enum SchemaKind {
    Object {
        properties: Vec<Property>,
        members: Members,
    },
    /// Unknown values are kept.
    OpenEnum(Vec<String>),
    /// Unknown values are rejected.
    ClosedEnum(Vec<String>),
    /// Whole numbers. Unknown ones are kept.
    IntegerEnum(Vec<i64>),
    /// Values of one of several types.
    Union(Union),
    /// Another name of a type, in Rust alone: references to it have the type itself.
    Alias(Type),
}

/// Treatment of members of an object that the document does not name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Members {
    Ignored,
    /// Ignored by readers. Servers reject a request that has one.
    Refused,
    Kept,
    /// Kept, each of this type.
    Typed(Type),
}

impl Members {
    /// Returns whether readers keep them.
    pub(crate) fn are_kept(&self) -> bool {
        matches!(self, Self::Kept | Self::Typed(_))
    }

    /// The type of each, unless it is any value.
    pub(crate) fn typed(&self) -> Option<&Type> {
        match self {
            Self::Typed(ty) => Some(ty),
            Self::Ignored | Self::Refused | Self::Kept => None,
        }
    }
}

/// `oneOf` or `anyOf`. Values of none of the types are kept.
pub(crate) struct Union {
    /// The property that names the variant. Without, the first variant that has the shape of the value is chosen.
    pub(crate) discriminator: Option<String>,
    pub(crate) variants: Vec<Variant>,
    /// True if a value is of only one of the types (`oneOf`).
    pub(crate) exclusive: bool,
}

/// A variant of a union.
pub(crate) struct Variant {
    /// Name in Rust.
    pub(crate) name: String,
    pub(crate) ty: Type,
    /// The values of the discriminator that name it.
    pub(crate) tags: Vec<String>,
    /// True if its type contains the union itself, so that Rust needs a `Box`.
    pub(crate) boxed: bool,
}

impl SchemaKind {
    /// Returns whether its values are texts, of an enum.
    pub(crate) fn is_text(&self) -> bool {
        matches!(self, Self::OpenEnum(_) | Self::ClosedEnum(_))
    }
}

/// A property of an object.
pub(crate) struct Property {
    pub(crate) name: String,
    /// The name of its field, if the document chooses one.
    pub(crate) rust_name: Option<String>,
    /// True if readers require it.
    pub(crate) required: bool,
    /// True if this service always sends it. Readers may not require it, since older payloads lack it.
    pub(crate) sent: bool,
    pub(crate) docs: Docs,
    pub(crate) ty: Type,
    /// Value of an absent or null property.
    pub(crate) default: Option<Value>,
    /// The only value of a required property, which new values have. Readers accept others.
    pub(crate) constant: Option<Value>,
    /// True if an optional list or map is sent although it is empty, which differs from its absence.
    pub(crate) sends_empty: bool,
    /// True if its value is redacted in `Debug`.
    pub(crate) sensitive: bool,
    /// True if null is a value of its own, which differs from absence.
    pub(crate) distinguish_null: bool,
    /// True if readers round a number with a fraction.
    pub(crate) rounded: bool,
    /// Other names that requests may send it under.
    pub(crate) aliases: Vec<String>,
    /// True if its type contains the object itself, so that Rust needs a `Box`.
    pub(crate) boxed: bool,
}

impl Property {
    /// The paragraphs of a doc comment, with the rules that servers enforce.
    pub(crate) fn paragraphs(&self) -> Vec<String> {
        let mut paragraphs = self.docs.paragraphs_or(&self.name);
        paragraphs.extend(rules::sentence(&self.ty, None));
        paragraphs.extend(self.constant.as_ref().map(rules::always));
        if self.sends_empty {
            paragraphs.push("`None` is not sent; an empty value is.".to_owned());
        }
        paragraphs.extend(also_named(self.aliases.iter().map(String::as_str)));
        paragraphs
    }

    /// The name of its field.
    pub(crate) fn field(&self) -> String {
        self.rust_name.clone().unwrap_or_else(|| field_name(&self.name))
    }
}

impl Schema {
    /// The variant of a value of an enum.
    pub(crate) fn variant(&self, value: &str) -> String {
        self.variants.get(value).cloned().unwrap_or_else(|| variant_name(value))
    }

    /// The variant of a number of an enum: `Value1`, `Minus1`.
    pub(crate) fn integer_variant(&self, value: i64) -> String {
        let sign = if value < 0 { "Minus" } else { "Value" };
        let chosen = self.variants.get(&value.to_string()).cloned();
        chosen.unwrap_or_else(|| format!("{sign}{}", value.unsigned_abs()))
    }

    /// The types of its properties and members, of its variants, or the type that it is another name of.
    pub(crate) fn types(&self) -> Vec<&Type> {
        match &self.kind {
            SchemaKind::Object { properties, members } => {
                let properties = properties.iter().map(|property| &property.ty);
                properties.chain(members.typed()).collect()
            }
            SchemaKind::Union(union) => union.variants.iter().map(|variant| &variant.ty).collect(),
            SchemaKind::Alias(ty) => vec![ty],
            SchemaKind::OpenEnum(_) | SchemaKind::ClosedEnum(_) | SchemaKind::IntegerEnum(_) => Vec::new(),
        }
    }

    /// The schemas that its type refers to.
    pub(crate) fn references(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.types().into_iter().for_each(|ty| ty.references(&mut names));
        names
    }

    /// The schemas that attributes of its values name.
    pub(crate) fn attribute_schemas(&self) -> impl Iterator<Item = &str> {
        let values = self.attributes.iter().flat_map(|attribute| &attribute.values);
        values.filter_map(|(value, _)| match value {
            AttributeValue::Schema(name) => Some(name.as_str()),
            _ => None,
        })
    }

    /// The names of some schemas and of those that they refer to, directly or through others.
    pub(crate) fn within<'n>(schemas: &'n [Self], names: impl IntoIterator<Item = &'n str>) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let mut rest: Vec<&str> = names.into_iter().collect();
        while let Some(name) = rest.pop() {
            let schema = schemas.iter().find(|schema| schema.name == name);
            if let Some(schema) = schema.filter(|_| found.insert(name.to_owned())) {
                rest.extend(schema.references());
            }
        }
        found
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

    /// Returns true if all values are scalars or null. A rejected schema counts as one.
    pub(super) fn is_scalar(&self, schemas: &[Schema]) -> bool {
        self.is_scalar_within(schemas, schemas.len())
    }

    /// Follows at most so many aliases, which may refer to each other in a circle.
    fn is_scalar_within(&self, schemas: &[Schema], aliases: usize) -> bool {
        match self {
            Self::Nullable(inner) => inner.is_scalar_within(schemas, aliases),
            // One that was rejected is missing here.
            Self::Ref(name) => match schemas
                .iter()
                .find(|schema| schema.name == *name)
                .map(|schema| &schema.kind)
            {
                Some(SchemaKind::Object { .. } | SchemaKind::Union(_)) => false,
                Some(SchemaKind::Alias(ty)) => aliases > 0 && ty.is_scalar_within(schemas, aliases - 1),
                _ => true,
            },
            Self::Array(..) | Self::Map { .. } | Self::Open(_) | Self::Any | Self::Secret(_) | Self::File(_) => false,
            _ => true,
        }
    }

    /// Returns whether it refers to a rejected schema.
    pub(super) fn is_broken(&self, schemas: &[Schema]) -> bool {
        match self {
            Self::Ref(name) => !schemas.iter().any(|schema| schema.name == *name),
            Self::Nullable(inner) | Self::Array(inner, _) | Self::Map { values: inner, .. } => inner.is_broken(schemas),
            _ => false,
        }
    }
}
