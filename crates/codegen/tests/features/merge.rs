//! Merges many documents into one: hand-written code names types of the project's own, so that all others are added to
//! it.

use serde_json::Value;

use crate::project;

/// Objects whose members are added up. Those of `components` but parameters and the like.
const NAMED: [&str; 9] = [
    "/x-parameter-aliases",
    "/paths",
    "/webhooks",
    "/components/schemas",
    "/components/parameters",
    "/components/requestBodies",
    "/components/responses",
    "/components/headers",
    "/components/securitySchemes",
];

/// A document without the shorthands of YAML.
pub(crate) fn json(name: &str, text: &str) -> Value {
    project::with(name, text, |input| {
        input.parse().unwrap_or_else(|error| panic!("{error}"))
    })
}

/// A document that others are added to.
pub(crate) struct Merged {
    project: Value,
    all: Value,
}

impl Merged {
    /// Begins with the project's own.
    pub(crate) fn project() -> Self {
        let project = json(
            "openapi.yaml",
            &project::text(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")),
        );
        Self {
            all: project.clone(),
            project,
        }
    }

    /// Adds a document. Parts that exist already must be equal, or exist in the project's own.
    pub(crate) fn add(&mut self, name: &str, document: &Value) {
        for tag in document["tags"].as_array().into_iter().flatten() {
            let tags = self.all["tags"].as_array_mut().expect("tags");
            if !tags.iter().any(|known| known["name"] == tag["name"]) {
                tags.push(tag.clone());
            }
        }
        for pointer in NAMED {
            let Some(members) = document.pointer(pointer).and_then(Value::as_object) else {
                continue;
            };
            for (key, member) in members {
                let (parent, last) = pointer.rsplit_once('/').expect("a pointer");
                let into = &mut self.all.pointer_mut(parent).expect("an object")[last];
                if into[key.as_str()].is_null() {
                    into[key.as_str()] = member.clone();
                    continue;
                }
                let known = into[key.as_str()] == *member
                    || self
                        .project
                        .pointer(pointer)
                        .is_some_and(|own| !own[key.as_str()].is_null());
                assert!(known, "{name} and another feature both have {pointer}/{key}");
            }
        }
        if name == "docs" {
            self.all["info"] = document["info"].clone();
        }
    }

    /// The merged document.
    pub(crate) fn json(&self) -> &Value {
        &self.all
    }
}
