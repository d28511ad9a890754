//! Pagination of operations.

use serde_json::Value;

use super::json::text;
use super::{Method, ParamLocation, Parameter, Property, Schema, SchemaKind, Type, Width};
use crate::Code;
use crate::source::{Report, join};
use crate::suggest;

/// The pagination of an operation.
pub(crate) struct Pagination {
    pub(crate) style: PaginationStyle,
    /// The schema of a page.
    pub(crate) page: String,
    /// The property of the page that holds the items, or the path to them: `groups.*.data`.
    pub(crate) items: String,
    /// The properties on the way to the items, the last of them the list.
    pub(crate) path: Vec<PathStep>,
    /// The schema of an item.
    pub(crate) item: String,
}

/// A property on the way to the items of a page.
#[derive(Clone, Debug)]
pub(crate) struct PathStep {
    /// The schema that has the property.
    pub(crate) schema: String,
    pub(crate) property: String,
    /// True if its lists are the values of a map.
    pub(crate) of_map: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PaginationStyle {
    Offset,
    Page,
    Cursor,
}

impl PaginationStyle {
    /// The query parameter with the position of a page.
    pub(crate) fn position(self) -> &'static str {
        match self {
            Self::Offset => "offset",
            Self::Page => "page",
            Self::Cursor => "next_cursor",
        }
    }

    /// The query parameters of the style, and the properties of its page.
    fn needs(self) -> (&'static [&'static str], &'static [&'static str]) {
        match self {
            Self::Offset => (&["offset", "limit"], &["total", "offset", "limit"]),
            Self::Page => (&["page", "size"], &["total", "page", "size"]),
            Self::Cursor => (&["next_cursor"], &["next_cursor"]),
        }
    }

    /// The required type of a query parameter of the style.
    fn parameter(self, ty: &Type) -> Result<(), &'static str> {
        let fits = match (self, ty) {
            (_, Type::Nullable(inner)) => return self.parameter(inner),
            (Self::Cursor, Type::String(_)) => true,
            (Self::Cursor, _) => return Err("a string"),
            (_, Type::Integer(width, _)) => *width == Width::I64,
            _ => false,
        };
        fits.then_some(()).ok_or("a 64-bit integer")
    }

    /// The `type` of its parameters.
    fn parameter_type(self) -> &'static str {
        match self {
            Self::Cursor => "string",
            Self::Offset | Self::Page => "integer",
        }
    }

    /// The required type of a property of the style's page.
    fn property(self, property: &Property) -> Result<(), &'static str> {
        let (fits, wanted) = match self {
            Self::Cursor => (
                property.default.is_none()
                    && !property.distinguish_null
                    && matches!(&property.ty, Type::Nullable(inner) if matches!(**inner, Type::String(_))),
                "a string or null, without a default or `x-distinguish-null`",
            ),
            Self::Offset | Self::Page => (
                property.required && matches!(property.ty, Type::Integer(Width::I64, _)),
                "a required 64-bit integer",
            ),
        };
        fits.then_some(()).ok_or(wanted)
    }
}

pub(super) fn read(
    operation: &Value,
    method: Method,
    at: &str,
    body: Option<&Type>,
    parameters: &[Parameter],
    schemas: &[Schema],
    report: &mut Report<'_>,
) -> Option<Pagination> {
    let value = operation.get("x-pagination")?;
    let (parameters_at, responses_at) = (format!("{at}/parameters"), format!("{at}/responses"));
    let at = format!("{at}/x-pagination");
    if method != Method::Get {
        let message = format!("`{}` cannot be paged", method.key());
        report.error(Code::PagingMethod, &at, message, "remove it: only `get` is paged");
        return None;
    }
    let style = match value["style"].as_str() {
        Some("offset") => PaginationStyle::Offset,
        Some("page") => PaginationStyle::Page,
        Some("cursor") => PaginationStyle::Cursor,
        other => {
            let other = other.unwrap_or_default();
            report.value_error(
                Code::PagingStyle,
                &format!("{at}/style"),
                format!("`{other}` is not a pagination style"),
                suggest::advice(other, ["offset", "page", "cursor"]),
            );
            return None;
        }
    };
    let (query, properties_needed) = style.needs();
    for name in query {
        let parameter = parameters
            .iter()
            .find(|p| p.location == ParamLocation::Query && p.name == *name);
        let Some(parameter) = parameter else {
            report.error_with(
                Code::PagingParameter,
                &parameters_at,
                format!("this pagination style needs the query parameter `{name}`"),
                format!("add `{{name: {name}, in: query, schema: ...}}` to `parameters`"),
                (&at, "paged here"),
            );
            report.unless_rejected(&parameters_at);
            continue;
        };
        if let Err(wanted) = style.parameter(&parameter.ty)
            && !parameter.ty.is_broken(schemas)
        {
            report.error_with(
                Code::PagingParameterType,
                &at,
                format!("the query parameter `{name}` of this pagination style must be {wanted}"),
                format!(
                    "write `type: {}` in its `schema`, without a `format`",
                    style.parameter_type()
                ),
                (&parameter.at, "the parameter"),
            );
        }
    }
    let items = text(value, "/items");
    let page = match body {
        Some(Type::Ref(name)) => schemas.iter().find(|schema| schema.name == *name),
        _ => None,
    };
    if body.is_some_and(|body| body.is_broken(schemas)) {
        return None;
    }
    let Some((page, properties)) = page.and_then(|schema| match &schema.kind {
        SchemaKind::Object { properties, .. } => Some((schema, properties)),
        _ => None,
    }) else {
        report.error(
            Code::PagingBody,
            &at,
            format!(
                "a page must be an object; the response is {}",
                body.map_or("empty".to_owned(), Type::noun)
            ),
            "return a named object that holds the items",
        );
        if body.is_none() {
            report.unless_rejected(&responses_at);
        }
        return None;
    };
    let page_at = join("/components/schemas", &page.name);
    for name in properties_needed {
        let Some(property) = properties.iter().find(|property| property.name == *name) else {
            report.error(
                Code::PagingProperty,
                &at,
                format!("this pagination style needs the property `{name}` of `{}`", page.name),
                format!("add `{name}` to the properties of `{}`", page.name),
            );
            report.unless_rejected(&page_at);
            continue;
        };
        if let Err(wanted) = style.property(property)
            && !property.ty.is_broken(schemas)
        {
            let pointer = format!("{page_at}/properties/{name}");
            report.error_with(
                Code::PagingPropertyType,
                &at,
                format!("the property `{name}` of this pagination style must be {wanted}"),
                "change the property, or the style",
                (&pointer, "the property"),
            );
            report.unless_rejected(&page_at);
        }
    }
    let (path, item) = match path_to(&items, style, page, schemas) {
        Ok(found) => found,
        Err(Unfit { broken }) => {
            if !broken {
                report.value_error(
                    Code::PagingItems,
                    &format!("{at}/items"),
                    format!("`{items}` is not a required list of a named schema in `{}`", page.name),
                    "write the property of the page that holds the items, and list it in `required`",
                );
                report.unless_rejected(&page_at);
            }
            return None;
        }
    };
    Some(Pagination {
        style,
        page: page.name.clone(),
        items,
        path,
        item,
    })
}

/// A path that does not lead to a list.
struct Unfit {
    /// True if a type on it was already rejected.
    broken: bool,
}

/// The properties that a path such as `groups.*.data` leads through, and the schema of the items at its end. `*` stands
/// for the values of a map.
fn path_to(
    items: &str,
    style: PaginationStyle,
    page: &Schema,
    schemas: &[Schema],
) -> Result<(Vec<PathStep>, String), Unfit> {
    const UNFIT: Unfit = Unfit { broken: false };
    let mut names = items.split('.').peekable();
    let (mut schema, mut path) = (page, Vec::new());
    while let Some(name) = names.next() {
        let SchemaKind::Object { properties, .. } = &schema.kind else {
            return Err(UNFIT);
        };
        let property = properties
            .iter()
            .find(|property| property.name == name && property.required);
        let ty = &property.ok_or(UNFIT)?.ty;
        let of_map = names.next_if_eq(&"*").is_some();
        let item = match (ty, of_map) {
            (Type::Map { values, .. }, true) => item_of(values),
            (ty, false) => item_of(ty),
            _ => None,
        };
        let item = item.ok_or_else(|| Unfit {
            broken: ty.is_broken(schemas),
        })?;
        path.push(PathStep {
            schema: schema.name.clone(),
            property: name.to_owned(),
            of_map,
        });
        // The other styles count the items of a page.
        let is_simple = !of_map && path.len() == 1;
        if names.peek().is_none() {
            let fits = is_simple || style == PaginationStyle::Cursor;
            return fits.then(|| (path, item.to_owned())).ok_or(UNFIT);
        }
        schema = schemas.iter().find(|schema| schema.name == item).ok_or(UNFIT)?;
    }
    Err(UNFIT)
}

/// The schema of the items of a list.
fn item_of(list: &Type) -> Option<&str> {
    match list {
        Type::Array(item, _) => match &**item {
            Type::Ref(name) => Some(name),
            _ => None,
        },
        _ => None,
    }
}
