//! Documentation of a part of the document.

use proc_macro2::TokenStream;
use quote::quote;
use serde_json::Value;

use super::json::text;
use super::text_formats::is_date;
use crate::Code;
use crate::plain::plain;
use crate::rustdoc::{code_span, rustdoc};
use crate::source::Report;

/// Title or summary, description, deprecation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Docs {
    pub(crate) summary: String,
    pub(crate) description: String,
    pub(crate) deprecated: Option<Deprecation>,
}

/// Deprecation of a part: reason, and date of a possible removal.
#[derive(Clone, Debug)]
pub(crate) struct Deprecation {
    /// Date of the deprecation.
    pub(crate) since: Option<String>,
    pub(crate) date: Option<String>,
    pub(crate) advice: String,
}

impl Docs {
    pub(crate) fn read(value: &Value, at: &str, report: &mut Report<'_>) -> Self {
        let deprecated = value["deprecated"] == true;
        let details = value.get("x-deprecation");
        // A `deprecated` that is neither true nor false is rejected already.
        let reported = value.get("deprecated").is_some_and(|value| !value.is_boolean());
        if deprecated != details.is_some() && !reported {
            let (there, missing) = if deprecated {
                ("deprecated", "x-deprecation: {advice: ...}")
            } else {
                ("x-deprecation", "deprecated: true")
            };
            report.error(
                Code::Deprecation,
                &format!("{at}/{there}"),
                format!("`{there}` without `{missing}`"),
                "write both: `deprecated: true`, and `x-deprecation` with `advice` on what to use instead, and a `date`",
            );
        }
        let mut date = |name: &str, meaning: &str| {
            let date = details.and_then(|details| details[name].as_str());
            if let Some(date) = date.filter(|date| !is_date(date)) {
                report.value_error(
                    Code::DeprecationDate,
                    &format!("{at}/x-deprecation/{name}"),
                    format!("`{date}` is not a date"),
                    format!("write the date {meaning}, such as `2025-01-31`, or leave it out"),
                );
            }
            date.map(str::to_owned)
        };
        let since = date("since", "since which it is deprecated");
        let date = date("date", "from which it may be removed");
        Self {
            summary: first(value, ["title", "summary"]),
            description: text(value, "/description"),
            deprecated: details.map(|details| Deprecation {
                since,
                date,
                advice: text(details, "/advice"),
            }),
        }
    }

    /// The paragraphs of a doc comment: summary and description, or only the description if it repeats the summary.
    pub(crate) fn paragraphs(&self) -> Vec<String> {
        let (summary, description) = (self.summary.trim(), self.description.trim());
        let repeated = description.starts_with(summary.trim_end_matches('.'));
        [if repeated { "" } else { summary }, description]
            .into_iter()
            .filter(|text| !text.is_empty())
            .map(rustdoc)
            .collect()
    }

    /// The paragraphs of a doc comment, or the name of an undocumented part.
    pub(crate) fn paragraphs_or(&self, name: &str) -> Vec<String> {
        let paragraphs = self.paragraphs();
        if paragraphs.is_empty() {
            vec![code_span(name)]
        } else {
            paragraphs
        }
    }

    /// The sentence that it is deprecated, without Markdown, if it is.
    pub(crate) fn deprecation(&self) -> Option<String> {
        let deprecation = self.deprecated.as_ref()?;
        Some(format!("Deprecated: {}", deprecation.note()))
    }

    /// The `#[deprecated]` attribute.
    pub(crate) fn deprecated_attribute(&self) -> Option<TokenStream> {
        let note = self.deprecated.as_ref()?.note();
        Some(quote!(#[deprecated(note = #note)]))
    }
}

impl Deprecation {
    /// The text of a `#[deprecated]` attribute.
    pub(crate) fn note(&self) -> String {
        let advice = plain(&self.advice);
        match &self.date {
            Some(date) => format!("may be removed from {date}: {advice}"),
            None => advice,
        }
    }
}

/// The first paragraph of a text, unless it is code or the beginning of another block.
pub(super) fn first_paragraph(paragraphs: &[String]) -> Option<String> {
    let first = paragraphs.first()?.split("\n\n").next()?.trim();
    let plain = first.starts_with(char::is_alphanumeric) || first.starts_with(['`', '*', '_', '[', '(', '"']);
    let code = ["```", "~~~"].iter().any(|fence| first.contains(fence));
    (plain && !code).then(|| first.to_owned())
}

fn first(value: &Value, keys: [&str; 2]) -> String {
    keys.iter()
        .find_map(|key| value[*key].as_str())
        .unwrap_or_default()
        .to_owned()
}

/// A sentence about other names of a parameter or a property, if it has any.
pub(crate) fn also_named<'a>(aliases: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let names: Vec<_> = aliases.into_iter().map(|alias| format!("`{alias}`")).collect();
    (!names.is_empty()).then(|| format!("Also accepted as {}.", names.join(" and ")))
}
