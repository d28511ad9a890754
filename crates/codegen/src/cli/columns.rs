//! The columns of a response that is shown as a table.

use crate::document::{Document, Operation, SchemaKind, Type};

/// The columns of a response in a table, by the schema of its rows: of its list, or of the response itself.
pub(super) fn of<'d>(document: &'d Document, operation: &'d Operation) -> &'d [String] {
    let schema = |name: &str| document.schemas.iter().find(|schema| schema.name == name);
    let Some(body) = operation.response_type() else {
        return &[];
    };
    let mut rows = body.without_null();
    if let Some(pagination) = &operation.pagination {
        return schema(&pagination.item).map_or(&[], |schema| &schema.columns);
    }
    loop {
        match rows {
            Type::Array(items, _) => rows = items.without_null(),
            Type::Ref(name) => match schema(name) {
                Some(found) => match &found.kind {
                    SchemaKind::Object { properties, .. } if found.columns.is_empty() => match properties.as_slice() {
                        [only] if matches!(only.ty.without_null(), Type::Array(..)) => rows = only.ty.without_null(),
                        _ => return &[],
                    },
                    _ => return &found.columns,
                },
                None => return &[],
            },
            _ => return &[],
        }
    }
}
