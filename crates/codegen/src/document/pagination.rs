//! Paging: which lists are paged, and how.

use serde_json::Value;

use super::{Location, Parameter, Schema, SchemaKind, Type, text};
use crate::source::Report;

/// How an operation is paged.
pub(crate) struct Pagination {
    pub(crate) style: PaginationStyle,
    /// The schema of a page.
    pub(crate) page: String,
    /// The property of the page that holds the items.
    pub(crate) items: String,
    /// The schema of an item.
    pub(crate) item: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PaginationStyle {
    Offset,
    Page,
    Cursor,
}

impl PaginationStyle {
    /// The query parameters of the style, and the integers of its answer.
    fn needs(self) -> (&'static [&'static str], &'static [&'static str]) {
        match self {
            Self::Offset => (&["offset", "limit"], &["total", "offset", "limit"]),
            Self::Page => (&["page", "size"], &["total", "page", "size"]),
            Self::Cursor => (&["next_cursor"], &["next_cursor"]),
        }
    }
}

pub(super) fn read(
    operation: &Value,
    at: &str,
    body: &Type,
    parameters: &[Parameter],
    schemas: &[Schema],
    report: &mut Report<'_>,
) -> Option<Pagination> {
    let value = operation.get("x-pagination")?;
    let at = format!("{at}/x-pagination");
    let style = match value["style"].as_str() {
        Some("offset") => PaginationStyle::Offset,
        Some("page") => PaginationStyle::Page,
        Some("cursor") => PaginationStyle::Cursor,
        _ => {
            report.value_error(
                &format!("{at}/style"),
                "unknown paging style",
                "use offset, page or cursor",
            );
            return None;
        }
    };
    let (query, answer) = style.needs();
    for name in query {
        if !parameters
            .iter()
            .any(|p| p.location == Location::Query && p.name == *name)
        {
            report.error(
                &at,
                format!("this style of paging needs the query parameter `{name}`"),
                "declare it",
            );
            return None;
        }
    }
    let items = text(value, "/items");
    let page = match body {
        Type::Ref(name) => schemas.iter().find(|schema| schema.name == *name),
        _ => None,
    };
    let Some((page, properties)) = page.and_then(|schema| match &schema.kind {
        SchemaKind::Object { properties, .. } => Some((schema, properties)),
        _ => None,
    }) else {
        report.error(
            &at,
            "a page is an object",
            "answer with a named object that holds the items",
        );
        return None;
    };
    for name in answer {
        if !properties.iter().any(|property| property.name == *name) {
            report.error(
                &at,
                format!("this style of paging needs the property `{name}` of `{}`", page.name),
                "add it",
            );
            return None;
        }
    }
    let list = properties.iter().find(|property| property.name == items);
    let Some(Type::Array(item)) = list.map(|property| &property.ty) else {
        report.value_error(
            &format!("{at}/items"),
            format!("`{items}` is no list of `{}`", page.name),
            "name the list of items",
        );
        return None;
    };
    let Type::Ref(item) = &**item else {
        report.value_error(
            &format!("{at}/items"),
            "the items of a page are a named schema",
            "name it",
        );
        return None;
    };
    Some(Pagination {
        style,
        page: page.name.clone(),
        items,
        item: item.clone(),
    })
}
