//! Tags, each of which is a module of the generated crates.

use serde_json::Value;

use super::json::text;
use super::names::module::{is_module, module_help};
use crate::Code;
use crate::rustdoc::rustdoc;
use crate::source::Report;
use crate::suggest;

/// A tag of the document.
pub(crate) struct Tag {
    pub(crate) name: String,
    pub(crate) description: String,
}

impl Tag {
    /// Description, or the name.
    pub(crate) fn paragraph(&self) -> String {
        match self.description.trim() {
            "" => format!("`{}`", self.name),
            description => rustdoc(description),
        }
    }
}

pub(super) fn read_all(root: &Value, report: &mut Report<'_>) -> Vec<Tag> {
    let mut tags: Vec<Tag> = Vec::new();
    for (index, tag) in root["tags"].as_array().into_iter().flatten().enumerate() {
        let at = format!("/tags/{index}/name");
        let name = text(tag, "/name");
        if !is_module(&name) {
            report.value_error(
                Code::TagName,
                &at,
                format!("the tag `{name}` cannot name a module"),
                module_help(&name),
            );
        } else if tags.iter().any(|tag| tag.name == name) {
            let message = format!("the tag `{name}` is declared twice");
            report.value_error(Code::DuplicateTag, &at, message, "remove one");
        }
        tags.push(Tag {
            description: text(tag, "/description"),
            name,
        });
    }
    tags
}

/// The one tag of an operation.
pub(super) fn tag_of(value: &Value, at: &str, tags: &[Tag], report: &mut Report<'_>) -> String {
    let own: Vec<_> = value["tags"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    match own.as_slice() {
        [one] => known_tag(one, &format!("{at}/tags/0"), tags, report),
        _ => {
            let found = match own.len() {
                0 => "none".to_owned(),
                count => count.to_string(),
            };
            let known: Vec<_> = tags.iter().map(|tag| tag.name.as_str()).collect();
            report.error(
                Code::OneTag,
                &format!("{at}/tags"),
                format!("an operation must have exactly one tag; this one has {found}"),
                format!(
                    "write the tag of the module to generate it into, one of: {}",
                    known.join(", ")
                ),
            );
        }
    }
    own.first().copied().unwrap_or_default().to_owned()
}

pub(super) fn known_tag(name: &str, at: &str, tags: &[Tag], report: &mut Report<'_>) {
    // A tag without a name was already rejected, and may be the intended one.
    if !tags.iter().any(|tag| tag.name == name || tag.name.is_empty()) {
        let known = tags.iter().map(|tag| tag.name.as_str());
        report.value_error(
            Code::UnknownTag,
            at,
            format!("the tag `{name}` is not declared"),
            suggest::advice_or(name, known, "add it to the document's `tags`"),
        );
        report.unless_rejected("/tags");
    }
}
