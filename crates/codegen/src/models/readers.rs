//! Lenient readers of fields, for third-party documents.

use crate::document::Type;

/// The function of the kit that reads a field leniently, if its type has another form.
pub(super) fn lenient(ty: &Type) -> Option<&'static str> {
    if has_forms(ty) {
        return Some("lenient");
    }
    matches!(ty, Type::Array(..) | Type::Map { .. } | Type::Open(_)).then_some("null_as_empty")
}

/// Returns whether its values, or those in it, are integers or timestamps.
pub(super) fn has_forms(ty: &Type) -> bool {
    match ty {
        Type::Integer(..) | Type::DateTime => true,
        Type::Nullable(inner) | Type::Array(inner, _) | Type::Map { values: inner, .. } => has_forms(inner),
        _ => false,
    }
}
