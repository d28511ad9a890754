//! The types of properties, parameters and bodies.

use std::collections::BTreeSet;

use super::limits::{NumberLimits, SizeLimits, TextLimits};

/// The type of a property, a parameter, or a body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Type {
    String(TextLimits),
    /// A file in a body of several parts, with limits in bytes.
    File(SizeLimits),
    /// `format: password`.
    Secret(TextLimits),
    Uuid,
    Date,
    DateTime,
    Ipv4,
    Ipv6,
    Integer(Width, NumberLimits<i128>),
    Number(NumberLimits<f64>),
    Boolean,
    /// Any JSON value: no `type`, or `true`.
    Any,
    /// An object with any members.
    Open(SizeLimits),
    Ref(String),
    Array(Box<Type>, SizeLimits),
    Map {
        /// The enum of its keys, unless they are any strings.
        keys: Option<String>,
        values: Box<Type>,
        size: SizeLimits,
    },
    Nullable(Box<Type>),
}

/// The width of an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Width {
    pub(crate) bits: u8,
    pub(crate) signed: bool,
}

impl Width {
    pub(crate) const I64: Self = Self { bits: 64, signed: true };

    /// Type in Rust, and in `format` where 32 or 64 bits wide: `i64`, `uint32`.
    pub(crate) fn rust_name(self) -> String {
        format!("{}{}", if self.signed { 'i' } else { 'u' }, self.bits)
    }

    /// Name as a `format`.
    pub(crate) fn format(self) -> String {
        format!("{}int{}", if self.signed { "" } else { "u" }, self.bits)
    }

    /// The smallest and the largest number.
    pub(crate) fn range(self) -> (i128, i128) {
        if self.signed {
            (-(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1)
        } else {
            (0, (1 << self.bits) - 1)
        }
    }
}

impl Type {
    /// Returns true if values of it may be or contain a secret. Of the schemas that it refers to, those of some names
    /// have one.
    pub(crate) fn has_secret(&self, names: &BTreeSet<String>) -> bool {
        match self {
            Self::Secret(_) => true,
            Self::Ref(name) => names.contains(name),
            Self::Nullable(inner) | Self::Array(inner, _) | Self::Map { values: inner, .. } => inner.has_secret(names),
            _ => false,
        }
    }

    /// Placeholder for a rejected type: a reference to no schema, for which nothing else is reported.
    pub(super) fn broken() -> Self {
        Self::Ref(String::new())
    }

    /// The type without null.
    pub(crate) fn without_null(&self) -> &Self {
        match self {
            Self::Nullable(inner) => inner.without_null(),
            other => other,
        }
    }

    /// A value of it in messages, such as `a string`.
    pub(super) fn noun(&self) -> String {
        match self {
            Self::String(_) => "a string".to_owned(),
            Self::Secret(_) => "a secret".to_owned(),
            Self::File(_) => "a file".to_owned(),
            Self::Uuid => "a UUID".to_owned(),
            Self::Date => "a date".to_owned(),
            Self::DateTime => "a time".to_owned(),
            Self::Ipv4 => "an IPv4 address".to_owned(),
            Self::Ipv6 => "an IPv6 address".to_owned(),
            Self::Any => "any value".to_owned(),
            Self::Integer(..) => "an integer".to_owned(),
            Self::Number(_) => "a number".to_owned(),
            Self::Boolean => "a boolean".to_owned(),
            Self::Open(_) => "an object".to_owned(),
            Self::Ref(name) => format!("`{name}`"),
            Self::Array(..) => "a list".to_owned(),
            Self::Map { .. } => "a map".to_owned(),
            Self::Nullable(inner) => format!("{} or null", inner.noun()),
        }
    }
}
