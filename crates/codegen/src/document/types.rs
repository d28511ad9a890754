//! The types of properties, parameters and bodies.

/// The type of a property, a parameter, or a body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Type {
    String {
        min: Option<u64>,
        max: Option<u64>,
    },
    /// `format: password`.
    Secret,
    Uuid,
    Date,
    DateTime,
    Integer {
        bits: u8,
        min: Option<i64>,
        max: Option<i64>,
    },
    Number,
    Boolean,
    /// An object with any members.
    Open,
    Ref(String),
    Array(Box<Type>),
    Map(Box<Type>),
    Nullable(Box<Type>),
}

impl Type {
    /// Replaces a rejected type: a reference to no schema, for which nothing else is reported.
    pub(super) fn broken() -> Self {
        Self::Ref(String::new())
    }

    /// A value of it in messages, such as `a string`.
    pub(super) fn noun(&self) -> String {
        match self {
            Self::String { .. } => "a string".to_owned(),
            Self::Secret => "a secret".to_owned(),
            Self::Uuid => "a UUID".to_owned(),
            Self::Date => "a date".to_owned(),
            Self::DateTime => "a time".to_owned(),
            Self::Integer { .. } => "an integer".to_owned(),
            Self::Number => "a number".to_owned(),
            Self::Boolean => "a boolean".to_owned(),
            Self::Open => "an object".to_owned(),
            Self::Ref(name) => format!("`{name}`"),
            Self::Array(_) => "a list".to_owned(),
            Self::Map(_) => "a map".to_owned(),
            Self::Nullable(inner) => format!("{} or null", inner.noun()),
        }
    }
}
