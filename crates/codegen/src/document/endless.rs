//! Objects that contain themselves through required properties.

use std::collections::{HashMap, HashSet, VecDeque};

use super::{Schema, SchemaKind, Type};
use crate::Code;
use crate::source::{Report, join};

/// A schema and one of its properties.
type Step<'s> = (&'s str, &'s str);

/// The required properties of each schema whose types are schemas, with the names of those.
type Parts<'s> = HashMap<&'s str, Vec<(&'s str, &'s str)>>;

/// Rejects objects that contain themselves through required properties: every value of them would be infinite.
pub(super) fn check(schemas: &[Schema], report: &mut Report<'_>) {
    let parts: Parts<'_> = schemas
        .iter()
        .map(|schema| (schema.name.as_str(), parts(schema)))
        .collect();
    let mut reported = HashSet::new();
    for schema in schemas {
        if reported.contains(schema.name.as_str()) {
            continue;
        }
        let Some(cycle) = cycle(&schema.name, &parts) else {
            continue;
        };
        let steps: Vec<_> = cycle
            .iter()
            .map(|(name, property)| format!("{name}.{property}"))
            .collect();
        let at = format!("{}/properties", join("/components/schemas", &schema.name));
        report.error(
            Code::EndlessSchema,
            &cycle.first().map_or(at.clone(), |(_, property)| join(&at, property)),
            format!("`{}` always contains itself, through {}", schema.name, steps.join(", ")),
            "make one of these properties optional, nullable or a list",
        );
        reported.extend(cycle.into_iter().map(|(name, _)| name));
    }
}

fn parts(schema: &Schema) -> Vec<(&str, &str)> {
    let SchemaKind::Object { properties, .. } = &schema.kind else {
        return Vec::new();
    };
    let required = properties.iter().filter(|property| property.required);
    required
        .filter_map(|property| match &property.ty {
            Type::Ref(name) => Some((property.name.as_str(), name.as_str())),
            _ => None,
        })
        .collect()
}

/// The shortest path from a schema back to itself.
fn cycle<'s>(start: &'s str, parts: &Parts<'s>) -> Option<Vec<Step<'s>>> {
    let mut reached: HashMap<&str, Step<'_>> = HashMap::new();
    let mut waiting = VecDeque::from([start]);
    while let Some(name) = waiting.pop_front() {
        for (property, part) in parts.get(name).into_iter().flatten() {
            if *part == start {
                let mut way = vec![(name, *property)];
                while let Some((before, property)) = way.last().and_then(|(name, _)| reached.get(name)) {
                    way.push((*before, *property));
                }
                way.reverse();
                return Some(way);
            }
            if !reached.contains_key(part) {
                reached.insert(*part, (name, *property));
                waiting.push_back(*part);
            }
        }
    }
    None
}
