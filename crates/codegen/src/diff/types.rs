//! Types in the compared form and in the printed form.

use crate::document::{NumberLimits, SizeLimits, TextLimits, Type};

/// The type without bounds, which do not affect the Rust type, and with schema names replaced.
pub(super) fn plain(ty: &Type, name: &dyn Fn(&str) -> String) -> Type {
    match ty {
        Type::String(_) => Type::String(TextLimits::default()),
        Type::Secret(_) => Type::Secret(TextLimits::default()),
        Type::Integer(width, _) => Type::Integer(*width, NumberLimits::default()),
        Type::Number(_) => Type::Number(NumberLimits::default()),
        Type::Open(_) => Type::Open(SizeLimits::default()),
        Type::File(_) => Type::File(SizeLimits::default()),
        Type::Ref(target) => Type::Ref(name(target)),
        Type::Array(items, _) => Type::Array(Box::new(plain(items, name)), SizeLimits::default()),
        Type::Map { keys, values, .. } => Type::Map {
            keys: keys.as_ref().map(|keys| name(keys)),
            values: Box::new(plain(values, name)),
            size: SizeLimits::default(),
        },
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
        Type::String(_) => "string".to_owned(),
        Type::Secret(_) => "secret".to_owned(),
        Type::File(_) => "file".to_owned(),
        Type::Uuid => "UUID".to_owned(),
        Type::Date => "date".to_owned(),
        Type::DateTime => "date-time".to_owned(),
        Type::Ipv4 => "IPv4 address".to_owned(),
        Type::Ipv6 => "IPv6 address".to_owned(),
        Type::Any => "any value".to_owned(),
        Type::Integer(width, _) => width.format(),
        Type::Number(_) => "number".to_owned(),
        Type::Boolean => "boolean".to_owned(),
        Type::Open(_) => "open object".to_owned(),
        Type::Ref(name) => name.clone(),
        Type::Array(items, _) => format!("list of {}", describe(items)),
        Type::Map { keys: None, values, .. } => format!("map of {}", describe(values)),
        Type::Map {
            keys: Some(keys),
            values,
            ..
        } => format!("map of {} by {keys}", describe(values)),
        Type::Nullable(inner) => format!("{} or null", describe(inner)),
    }
}
