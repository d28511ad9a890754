//! Types in the form that is compared and in the form that is printed.

use crate::document::Type;

/// The type without bounds, which do not affect the Rust type, and with schema names replaced.
pub(super) fn plain(ty: &Type, name: &dyn Fn(&str) -> String) -> Type {
    match ty {
        Type::String { .. } => Type::String { min: None, max: None },
        Type::Integer { bits, .. } => Type::Integer {
            bits: *bits,
            min: None,
            max: None,
        },
        Type::Ref(target) => Type::Ref(name(target)),
        Type::Array(items) => Type::Array(Box::new(plain(items, name))),
        Type::Map(values) => Type::Map(Box::new(plain(values, name))),
        Type::Nullable(inner) => Type::Nullable(Box::new(plain(inner, name))),
        other => other.clone(),
    }
}

/// The type without null.
pub(super) fn without_null(ty: &Type) -> &Type {
    match ty {
        Type::Nullable(inner) => without_null(inner),
        other => other,
    }
}

pub(super) fn is_nullable(ty: &Type) -> bool {
    matches!(ty, Type::Nullable(_))
}

/// The type as it is printed.
pub(super) fn describe(ty: &Type) -> String {
    match ty {
        Type::String { .. } => "string".to_owned(),
        Type::Secret => "secret".to_owned(),
        Type::Uuid => "UUID".to_owned(),
        Type::Date => "date".to_owned(),
        Type::DateTime => "date-time".to_owned(),
        Type::Integer { bits, .. } => format!("int{bits}"),
        Type::Number => "number".to_owned(),
        Type::Boolean => "boolean".to_owned(),
        Type::Open => "open object".to_owned(),
        Type::Ref(name) => name.clone(),
        Type::Array(items) => format!("list of {}", describe(items)),
        Type::Map(values) => format!("map of {}", describe(values)),
        Type::Nullable(inner) => format!("{} or null", describe(inner)),
    }
}
