//! `x-defaults`: parts that operations, webhooks and bodies have without writing them. Their expansion is the document
//! as it would be written out; each added part has the location of the rule that adds it.

mod condition;
mod examples;
mod log;
mod operations;
mod parts;
mod rule;

use serde_json::Value;

use crate::source::Source;
pub(crate) use log::Mistake;
use log::{DEFAULTS, Log};
use operations::operations;
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
    apply(&mut rules, &mut root, "paths", &components, &mut log);
    rules
        .iter()
        .for_each(|rule| rule.apply_to_components(&mut components, &mut log));
    report(&rules, ("operation", "operation or response"), &mut log);

    let mut rules = Rule::list(&defaults, "webhooks");
    apply(&mut rules, &mut root, "webhooks", &components, &mut log);
    report(&rules, ("webhook", "webhook"), &mut log);

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

/// Applies rules to the operations of a section.
fn apply(rules: &mut [Rule<'_>], root: &mut Value, section: &'static str, components: &Value, log: &mut Log) {
    for (pointer, shared, method, operation) in operations(root, section) {
        let mut parts = Parts::new(components, shared, pointer, method, operation, log);
        rules.iter_mut().for_each(|rule| rule.apply(&mut parts));
    }
}

/// Reports what has no effect in applied rules.
fn report(rules: &[Rule<'_>], to: (&str, &str), log: &mut Log) {
    let used = log.used();
    rules.iter().for_each(|rule| rule.report(&used, to, log));
}

/// Removes the defaults, whose parts are in the document now.
pub(crate) fn remove(source: &mut Source<'_>) {
    if let Some(root) = source.value.as_object_mut() {
        root.shift_remove(DEFAULTS);
    }
}
