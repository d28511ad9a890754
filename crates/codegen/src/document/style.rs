//! Styles of lists in parameters.

use serde_json::Value;

use super::json::text;
use super::{ParamLocation, Type};
use crate::Code;
use crate::source::{Report, join};
use crate::suggest;

/// Style of a list in a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Separator {
    /// `form` with `explode`: the parameter is repeated.
    Repeated,
    /// `form` without `explode`, and `simple`.
    Comma,
    /// `spaceDelimited`.
    Space,
    /// `pipeDelimited`.
    Pipe,
}

impl Separator {
    /// The character between the items. None if the parameter is repeated.
    pub(crate) fn character(self) -> Option<char> {
        match self {
            Self::Repeated => None,
            Self::Comma => Some(','),
            Self::Space => Some(' '),
            Self::Pipe => Some('|'),
        }
    }

    /// Description for documentation, as the end of a sentence.
    pub(crate) fn described(self) -> &'static str {
        match self {
            Self::Repeated => "repeated for each item",
            Self::Comma => "with commas between the items",
            Self::Space => "with spaces between the items",
            Self::Pipe => "with `|` between the items",
        }
    }
}

/// The separator of a list. None for a single value, whose style makes no difference.
pub(super) fn read(
    value: &Value,
    location: ParamLocation,
    ty: &Type,
    at: &str,
    report: &mut Report<'_>,
) -> Option<Separator> {
    let list = match ty {
        Type::Nullable(inner) => matches!(**inner, Type::Array(..)),
        other => matches!(other, Type::Array(..)),
    };
    let own = match location {
        ParamLocation::Query | ParamLocation::Cookie => "form",
        ParamLocation::Path | ParamLocation::Header => "simple",
    };
    let style = match text(value, "/style") {
        none if none.is_empty() => own.to_owned(),
        style => style,
    };
    // A repeated cookie is another one.
    let repeats = own == "form" && location == ParamLocation::Query;
    let explode = value["explode"].as_bool().unwrap_or(style == "form");
    match style.as_str() {
        "form" if own == "form" && list && explode && !repeats => {
            report.error(
                Code::ParameterStyle,
                at,
                "a list in a cookie must be one text",
                "add `explode: false`",
            );
            None
        }
        "form" if own == "form" => list.then_some(if explode { Separator::Repeated } else { Separator::Comma }),
        "simple" if own == "simple" => list.then_some(Separator::Comma),
        "spaceDelimited" if repeats && list => Some(if explode { Separator::Repeated } else { Separator::Space }),
        "pipeDelimited" if repeats && list => Some(if explode { Separator::Repeated } else { Separator::Pipe }),
        _ => {
            let help = match style.as_str() {
                "deepObject" => "only an object in the query has this style: remove it".to_owned(),
                "spaceDelimited" | "pipeDelimited" => "only a list in the query has this style: remove it".to_owned(),
                "matrix" | "label" => "remove it: values in a path have no prefix".to_owned(),
                _ => suggest::advice(&style, [own]),
            };
            let message = format!("`style: {style}` is unsupported here");
            report.value_error(Code::ParameterStyle, &join(at, "style"), message, help);
            None
        }
    }
}
