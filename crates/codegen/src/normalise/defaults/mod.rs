//! `x-defaults`: parts that operations, webhooks and bodies have without writing them. Their expansion is the document as
//! it would be written out; each added part has the location of the rule that adds it.

mod examples;
mod log;
mod parts;
mod rule;

use serde_json::Value;

use crate::source::{METHODS, Source, join};
pub(crate) use log::Mistake;
use log::{DEFAULTS, Log};
use parts::Parts;
use rule::Rule;

/// Adds the defaults to the parts that have them.
pub(super) fn expand(source: &mut Source<'_>) -> Vec<Mistake> {
    let Some(defaults) = source.value.get(DEFAULTS).cloned() else {
        return Vec::new();
    };
    let mut root = std::mem::take(&mut source.value);
    // Components are read while operations change, and keep their place in the document.
    let mut components = root.get_mut("components").map(Value::take).unwrap_or_default();
    let mut log = Log::default();

    let mut rules = Rule::list(&defaults, "operations");
    for (pointer, shared, method, operation) in operations(&mut root, "paths") {
        let mut parts = Parts::new(&components, shared, pointer, method, operation, &mut log);
        rules.iter_mut().for_each(|rule| rule.apply(&mut parts));
    }
    rules
        .iter_mut()
        .for_each(|rule| rule.apply_to_components(&mut components, &mut log));
    for rule in rules.iter().filter(|rule| !rule.adds) {
        log.unused(&rule.pointer, "operation or response");
    }

    let mut rules = Rule::list(&defaults, "webhooks");
    for (pointer, shared, method, operation) in operations(&mut root, "webhooks") {
        let mut parts = Parts::new(&components, shared, pointer, method, operation, &mut log);
        rules.iter_mut().for_each(|rule| rule.apply(&mut parts));
    }
    for rule in rules.iter().filter(|rule| !rule.adds) {
        log.unused(&rule.pointer, "webhook");
    }

    if let Some(place) = root.get_mut("components") {
        *place = components;
    }
    if defaults["schema-examples"] == true {
        examples::expand(&mut root, &mut log);
    }
    source.value = root;
    for (pointer, from) in log.added {
        let origin = source.origin(&from);
        source.moved(pointer, origin);
    }
    log.mistakes
}

/// Removes the defaults, whose parts are in the document now.
pub(crate) fn remove(source: &mut Source<'_>) {
    if let Some(root) = source.value.as_object_mut() {
        root.shift_remove(DEFAULTS);
    }
}

/// The operations of a section: pointer, parameters of the path, method, and the operation.
fn operations<'r>(
    root: &'r mut Value,
    section: &'static str,
) -> impl Iterator<Item = (String, Value, String, &'r mut Value)> {
    let items = root.get_mut(section).and_then(Value::as_object_mut);
    items.into_iter().flatten().flat_map(move |(path, item)| {
        let at = join(&format!("/{section}"), path);
        let shared = item["parameters"].clone();
        let members = item.as_object_mut().into_iter().flatten();
        members
            .filter(|(method, operation)| METHODS.contains(&method.as_str()) && operation.is_object())
            .map(move |(method, operation)| (join(&at, method), shared.clone(), method.clone(), operation))
    })
}
