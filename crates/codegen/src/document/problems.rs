//! Schemas of problem documents (RFC 9457): types of the kit in every document, shared by client, server and mocks.

use super::{Schema, SchemaKind};
use crate::Code;
use crate::source::{Report, join};

/// The schemas, with the members that the kit has.
const KIT: [(&str, &[&str]); 3] = [
    (
        "Problem",
        &[
            "type",
            "title",
            "status",
            "detail",
            "instance",
            "request_id",
            "errors",
            "conflict",
        ],
    ),
    ("Violation", &["location", "code", "message"]),
    ("ConflictingObject", &["resource", "id"]),
];

/// Returns whether a schema is a type of the kit.
pub(crate) fn is_of_kit(name: &str) -> bool {
    KIT.iter().any(|(known, _)| *known == name)
}

/// Rejects members that the kit does not have. A schema may leave some out.
pub(super) fn check(schemas: &[Schema], report: &mut Report<'_>) {
    for (name, known) in KIT {
        let Some(schema) = schemas.iter().find(|schema| schema.name == name) else {
            continue;
        };
        let SchemaKind::Object { properties, .. } = &schema.kind else {
            continue;
        };
        // A misspelled one is still required, which is reported.
        let required = schema.value["required"].as_array().into_iter().flatten();
        if required
            .filter_map(|name| name.as_str())
            .any(|name| properties.iter().all(|known| known.name != name))
        {
            continue;
        }
        for property in properties.iter().filter(|property| !known.contains(&&*property.name)) {
            report.error(
                Code::ProblemMember,
                &join(&format!("/components/schemas/{name}/properties"), &property.name),
                format!("the type `{name}` of every service has no member `{}`", property.name),
                format!(
                    "its members are {}: leave this one out, or give the error a schema of its own",
                    known.join(", ")
                ),
            );
        }
    }
}
