//! References of third-party documents to parts outside `components`: a schema becomes a component,
//! another part is copied.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::names::{Taken, type_name};
use crate::source::{Part, Source, decoded, join, key_of, walk};

/// Maximum number of passes: a copied part may refer to further ones.
const ROUNDS: usize = 8;

/// Steps of a pointer that add nothing to a name.
const PLAIN: [&str; 15] = [
    "$defs",
    "definitions",
    "paths",
    "components",
    "schemas",
    "responses",
    "requestBodies",
    "requestBody",
    "content",
    "schema",
    "properties",
    "items",
    "allOf",
    "oneOf",
    "anyOf",
];

/// A reference and its target.
struct Reference {
    part: Part,
    at: String,
    target: String,
}

/// Rewrites such references.
pub(super) fn resolve(source: &mut Source<'_>) {
    let mut taken = Taken::default();
    let schemas = source.value["components"]["schemas"].as_object();
    for name in schemas.into_iter().flat_map(|all| all.keys()) {
        taken.free(name);
    }
    for _ in 0..ROUNDS {
        let mut found = Vec::new();
        collect(&source.value, Part::Document, "", &mut found);
        if found.is_empty() {
            break;
        }
        // Outer targets first: an inner one is then a part of a component.
        found.sort_by_key(|reference| reference.target.matches('/').count());
        let mut done = HashSet::new();
        for reference in found {
            // A pass that moved a part around this one may have moved it, too.
            if done.iter().any(|part: &String| below(&reference.at, part)) {
                continue;
            }
            match reference.part {
                Part::Schema => schema(source, &reference, &mut taken, &mut done),
                _ => copy(source, &reference),
            }
        }
    }
    without_definitions(&mut source.value);
}

/// Removes the places of schemas that are components now.
fn without_definitions(root: &mut Value) {
    walk(Part::Document, root, &mut |part, members| {
        if matches!(part, Part::Document | Part::Schema) {
            members.shift_remove("$defs");
            members.shift_remove("definitions");
        }
    });
}

/// Names the target, and refers to it from both places.
fn schema(source: &mut Source<'_>, reference: &Reference, taken: &mut Taken, done: &mut HashSet<String>) {
    let Some(target) = lookup(&source.value, &reference.target) else {
        return;
    };
    let is_component = target.starts_with("/components/schemas/") && target.matches('/').count() == 3;
    let name = match is_component {
        true => target.rsplit('/').next().unwrap_or_default().to_owned(),
        false if below(&reference.at, &target) => return,
        false => taken.free(&name_of(&source.value, &target)),
    };
    let to = json!({ "$ref": format!("#/components/schemas/{name}") });
    if !is_component {
        let origin = source.origin(&target);
        let Some(place) = source.value.pointer_mut(&target) else {
            return;
        };
        let schema = std::mem::replace(place, to.clone());
        add_schema(&mut source.value, &name, schema);
        source.moved(join("/components/schemas", &name), origin);
        done.insert(target);
    }
    if let Some(place) = source.value.pointer_mut(&reference.at) {
        place["$ref"] = to["$ref"].clone();
    }
}

/// Adds a component. One that is not an object in the document is replaced.
fn add_schema(root: &mut Value, name: &str, schema: Value) {
    let components = &mut root["components"];
    if !components.is_object() {
        *components = json!({});
    }
    let schemas = &mut components["schemas"];
    if !schemas.is_object() {
        *schemas = json!({});
    }
    schemas[name] = schema;
}

/// Copies the target in place of the reference.
fn copy(source: &mut Source<'_>, reference: &Reference) {
    let target = lookup(&source.value, &reference.target).filter(|target| !below(&reference.at, target));
    let Some(target) = target else { return };
    let origin = source.origin(&target);
    let Some(value) = source.value.pointer(&target).filter(|value| value.is_object()).cloned() else {
        return;
    };
    if let Some(place) = source.value.pointer_mut(&reference.at) {
        *place = value;
        source.moved(reference.at.clone(), origin);
    }
}

/// Returns whether a pointer is another one, or below it.
fn below(pointer: &str, part: &str) -> bool {
    pointer
        .strip_prefix(part)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The references to parts outside `components`.
fn collect(value: &Value, part: Part, at: &str, found: &mut Vec<Reference>) {
    match value {
        Value::Object(members) => {
            let target = members
                .get("$ref")
                .and_then(Value::as_str)
                .filter(|_| !matches!(part, Part::Each(_)));
            if let Some(target) = target.and_then(|target| target.strip_prefix('#')).map(decoded)
                && target.starts_with('/')
                && !(target.starts_with("/components/") && target.matches('/').count() == 3)
                && part.section().is_some()
            {
                found.push(Reference {
                    part,
                    at: at.to_owned(),
                    target,
                });
                return;
            }
            for (key, member) in members {
                let part = part.member(key);
                if part != Part::Data {
                    collect(member, part, &join(at, key), found);
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                collect(item, part.member(""), &format!("{at}/{index}"), found);
            }
        }
        _ => {}
    }
}

/// The pointer of a target, through references on the way and at its end.
fn lookup(root: &Value, pointer: &str) -> Option<String> {
    let (mut at, mut value, mut passed) = (String::new(), root, 0);
    let mut steps = reversed(pointer);
    loop {
        if let Some(target) = value["$ref"].as_str().and_then(|target| target.strip_prefix('#')) {
            passed += 1;
            let target = decoded(target);
            if passed > 16 || !target.starts_with('/') {
                return None;
            }
            steps.extend(reversed(&target));
            (at, value) = (String::new(), root);
            continue;
        }
        let Some(step) = steps.pop() else { return Some(at) };
        at = format!("{at}/{step}");
        value = value.pointer(&format!("/{step}"))?;
    }
}

/// The steps of a pointer, the last one first.
fn reversed(pointer: &str) -> Vec<String> {
    let mut steps: Vec<_> = pointer.split('/').skip(1).map(str::to_owned).collect();
    steps.reverse();
    steps
}

/// A name from the place of a target.
fn name_of(root: &Value, target: &str) -> String {
    let steps: Vec<_> = target.split('/').skip(1).map(key_of).collect();
    let mut name = String::new();
    let mut rest = steps.as_slice();
    if let [first, path, method, below @ ..] = steps.as_slice()
        && first == "paths"
    {
        let operation = root.pointer(&join(&join("/paths", path), method));
        let id = operation.and_then(|operation| operation["operationId"].as_str());
        name = id.map_or_else(|| format!("{method} {path}"), str::to_owned);
        rest = below;
    }
    let added = rest
        .iter()
        .filter(|step| !PLAIN.contains(&step.as_str()) && !step.contains('/'));
    for step in added.filter(|step| step.len() > 1 || step.parse::<u8>().is_err()) {
        name = format!("{name} {step}");
    }
    type_name(&name)
}
