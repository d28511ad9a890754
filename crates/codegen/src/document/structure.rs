//! Parameters that are objects or JSON, and their styles.

use serde_json::Value;

use super::inline::read_type;
use super::json::text;
use super::media_type::JSON;
use super::{ParamLocation, Schema, SchemaKind, Type, content, form};
use crate::Code;
use crate::source::{Report, join};

/// Help for a parameter that is an object where none can be.
pub(crate) const OBJECT: &str = "write one parameter for each member, such as `filter_name`, or an object in the query";

/// Style of a parameter that is an object or JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Structure {
    /// `deepObject`: each member is `name[member]`.
    Deep,
    /// `form` with `explode`: each member is a parameter of its own.
    Members(Vec<String>),
    /// A JSON value: `content` instead of `schema`.
    Json,
}

impl Structure {
    /// Description for documentation, as the end of a sentence.
    pub(crate) fn described(&self, name: &str) -> String {
        match self {
            Self::Deep => format!("as `{name}[...]` for each member; without members, it is not sent"),
            Self::Members(_) => "with a parameter for each member; without members, it is not sent".to_owned(),
            Self::Json => "as JSON".to_owned(),
        }
    }
}

/// Returns the style of an object; none for other values.
pub(super) fn object(
    value: &Value,
    location: ParamLocation,
    ty: &Type,
    schemas: &[Schema],
    at: &str,
    report: &mut Report<'_>,
) -> Option<Structure> {
    let members = members(ty.without_null(), schemas, report, at)?;
    if location != ParamLocation::Query {
        let message = format!("a parameter in the {} cannot be an object", location.as_str());
        report.error(Code::ParameterType, &join(at, "schema"), message, OBJECT);
        return Some(Structure::Json);
    }
    let (mut names, mut nested) = (Vec::new(), None);
    for (name, ty) in members {
        if !ty.is_scalar(schemas) {
            nested.get_or_insert((name, ty.noun()));
        }
        names.extend(name.map(str::to_owned));
    }
    if let Some((name, noun)) = nested {
        let message = match name {
            Some(name) => format!("an object in the query has only scalar members; `{name}` is {noun}"),
            None => format!("an object in the query has only scalar members; these are {noun}"),
        };
        let help = "make it a scalar, or send JSON: `content: {application/json: {schema: ...}}` instead of `schema`";
        report.error(Code::ParameterType, &join(at, "schema"), message, help);
    }
    match (
        text(value, "/style").as_str(),
        value["explode"].as_bool(),
        ty.without_null(),
    ) {
        ("deepObject", ..) => Some(Structure::Deep),
        ("" | "form", None | Some(true), Type::Ref(_)) => Some(Structure::Members(names)),
        _ => {
            let message = "an object in the query is written in another style";
            let help = match ty.without_null() {
                Type::Ref(_) => "write `style: deepObject`, or `style: form` with `explode: true`",
                _ => "write `style: deepObject`",
            };
            report.error(Code::ParameterStyle, at, message, help);
            Some(Structure::Deep)
        }
    }
}

/// The members of an object, or the type of each of them. None for another type.
fn members<'d>(
    ty: &'d Type,
    schemas: &'d [Schema],
    report: &mut Report<'_>,
    at: &str,
) -> Option<Vec<(Option<&'d str>, &'d Type)>> {
    let schema = match ty {
        Type::Map { values, .. } => return Some(vec![(None, values)]),
        Type::Ref(name) => schemas.iter().find(|schema| schema.name == *name)?,
        _ => return None,
    };
    let SchemaKind::Object { properties, members } = &schema.kind else {
        return None;
    };
    if members.are_kept() {
        let message = format!(
            "`{}` is the type of a parameter, and has undeclared members",
            schema.name
        );
        let help = "remove `additionalProperties`, or send JSON: `content: {application/json: {schema: ...}}`";
        report.error(Code::ParameterType, &join(at, "schema"), message, help);
    }
    for property in properties.iter().filter(|property| property.distinguish_null) {
        let message = format!("the member `{}` of a parameter has {}", property.name, form::NULL);
        let help = "remove its `x-distinguish-null`, or send JSON: `content: {application/json: {schema: ...}}`";
        report.error(Code::ParameterType, &join(at, "schema"), message, help);
    }
    let of = |property: &'d super::Property| (Some(property.name.as_str()), &property.ty);
    Some(properties.iter().map(of).collect())
}

/// The type of a parameter that is sent as JSON.
pub(super) fn json(value: &Value, location: ParamLocation, at: &str, report: &mut Report<'_>) -> Type {
    let content_at = join(at, "content");
    if value.get("schema").is_some() {
        let help = "remove `content`, or `schema`";
        let message = "a parameter has either `schema` or `content`";
        report.error(Code::ParameterContent, &content_at, message, help);
        return Type::broken();
    }
    for key in ["style", "explode"] {
        if value.get(key).is_some() {
            let message = format!("`{key}` beside `content` has no effect");
            report.error(Code::ParameterContent, &join(at, key), message, "remove it");
        }
    }
    let mut media_types = value["content"].as_object().into_iter().flatten();
    let (Some((media_type, media)), None) = (media_types.next(), media_types.next()) else {
        let message = "a parameter has one media type";
        report.error(
            Code::ParameterContent,
            &content_at,
            message,
            "write only `application/json`",
        );
        return Type::broken();
    };
    let media_at = join(&content_at, media_type);
    if media_type != JSON {
        let message = format!("the media type `{media_type}` of a parameter is unsupported");
        let help = "write `application/json`, or `schema: {type: string}` instead of `content`";
        report.error(Code::ParameterContent, &media_at, message, help);
        return Type::broken();
    }
    if location != ParamLocation::Query {
        let message = format!("JSON in the {} is unsupported", location.as_str());
        let help = "write `in: query`, or `schema: {type: string}` instead of `content`";
        report.error(Code::ParameterContent, &content_at, message, help);
    }
    match media.get("schema") {
        Some(schema) => read_type(schema, &join(&media_at, "schema"), report),
        None => content::named(media, &media_at, report),
    }
}
