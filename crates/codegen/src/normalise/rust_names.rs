//! Third-party documents: names in Rust for parts whose own ones collide or are reserved.

use serde_json::{Value, json};

use super::names::Taken;
use super::operations;
use crate::identifier::{field_name, variant_name};

/// Chooses names for values of enums, properties and parameters.
pub(super) fn choose(root: &mut Value) {
    let components = root["components"].clone();
    let schemas = root.pointer_mut("/components/schemas").and_then(Value::as_object_mut);
    for (_, schema) in schemas.into_iter().flatten() {
        values(schema);
        properties(schema);
    }
    operations::each(root, |_, _, operation| {
        if let Some(list) = operation.get_mut("parameters").and_then(Value::as_array_mut) {
            parameters(list, &components["parameters"]);
        }
    });
}

fn values(schema: &mut Value) {
    let key = match schema.get("x-extensible-enum") {
        Some(_) => "x-extensible-enum",
        None => "enum",
    };
    let Some(values) = schema[key].as_array().cloned() else {
        return;
    };
    let mut taken = Taken::default();
    // The variant of values that the document does not list.
    taken.free("Other");
    for value in values.iter().filter_map(Value::as_str) {
        let own = variant_name(value);
        let free = taken.free(&own);
        if free != own && schema["x-rust-names"].get(value).is_none() {
            schema["x-rust-names"][value] = json!(free);
        }
    }
}

fn properties(schema: &mut Value) {
    let kept = schema
        .get("additionalProperties")
        .is_some_and(|others| *others != false);
    let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else {
        return;
    };
    let mut taken = Taken::default();
    taken.free("build");
    if kept {
        taken.free("extra");
    }
    for (name, property) in properties {
        choose_field(name, property, &mut taken);
    }
}

fn parameters(list: &mut [Value], components: &Value) {
    let mut taken = Taken::default();
    for name in ["request", "body", "then_ok", "then_problem", "then_respond"] {
        taken.free(name);
    }
    for parameter in list {
        let target = parameter["$ref"].as_str().and_then(|target| target.rsplit('/').next());
        let shared = target.map(|target| components[target].clone());
        let name = shared.as_ref().unwrap_or(parameter)["name"].as_str().map(str::to_owned);
        match (name, shared.is_some()) {
            (Some(name), true) => drop(taken.free(&field_name(&name))),
            (Some(name), false) => choose_field(&name, parameter, &mut taken),
            (None, _) => {}
        }
    }
}

fn choose_field(name: &str, part: &mut Value, taken: &mut Taken) {
    let own = field_name(name);
    let free = taken.free(&own);
    if let Some(part) = part.as_object_mut()
        && free != own
    {
        part.entry("x-rust-name").or_insert_with(|| json!(free));
    }
}
