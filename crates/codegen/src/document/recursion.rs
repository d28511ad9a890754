//! Boxed properties: those of types that may contain themselves.

use std::collections::HashMap;

use super::{Schema, SchemaKind, Type};

/// Marks the properties that are boxed: each whose schema contains the schema that it belongs to, through properties
/// that are neither lists nor maps.
///
/// So the order of schemas and properties does not matter, and a type of Rust changes only where a property becomes
/// part of a cycle.
pub(super) fn mark(schemas: &mut [Schema]) {
    let numbers: HashMap<&str, usize> = (0..)
        .zip(&*schemas)
        .map(|(at, schema)| (schema.name.as_str(), at))
        .collect();
    let parts = |schema: &Schema| -> Vec<usize> {
        let names = direct(schema).into_iter().filter_map(contained);
        names.filter_map(|name| numbers.get(name).copied()).collect()
    };
    let edges: Vec<_> = schemas.iter().map(parts).collect();
    let groups = groups(&edges);
    let groups: HashMap<String, usize> = schemas.iter().map(|schema| schema.name.clone()).zip(groups).collect();
    for schema in schemas {
        let own = groups.get(&schema.name).copied();
        let boxed = |ty: &Type| contained(ty).is_some_and(|name| groups.get(name).copied() == own);
        match &mut schema.kind {
            SchemaKind::Object { properties, .. } => {
                for property in properties {
                    property.boxed = boxed(&property.ty);
                }
            }
            SchemaKind::Union(union) => {
                for variant in &mut union.variants {
                    variant.boxed = boxed(&variant.ty);
                }
            }
            _ => {}
        }
    }
}

fn direct(schema: &Schema) -> Vec<&Type> {
    match &schema.kind {
        SchemaKind::Object { properties, .. } => properties.iter().map(|property| &property.ty).collect(),
        SchemaKind::Union(union) => union.variants.iter().map(|variant| &variant.ty).collect(),
        _ => Vec::new(),
    }
}

/// The schema of a value that is part of another value without an allocation of its own.
fn contained(ty: &Type) -> Option<&str> {
    match ty {
        Type::Ref(name) => Some(name),
        Type::Nullable(inner) => contained(inner),
        _ => None,
    }
}

/// The group number of each node. The nodes of a group reach each other. A node that does not reach itself is alone in
/// its group, with another number than the nodes that it reaches.
fn groups(edges: &[Vec<usize>]) -> Vec<usize> {
    let mut reversed = vec![Vec::new(); edges.len()];
    for (from, targets) in edges.iter().enumerate() {
        for to in targets {
            reversed[*to].push(from);
        }
    }
    let mut order = Vec::new();
    let mut seen = vec![false; edges.len()];
    for start in 0..edges.len() {
        visit(start, edges, &mut seen, &mut |node| order.push(node));
    }
    let mut groups = vec![0; edges.len()];
    let mut seen = vec![false; edges.len()];
    for start in order.into_iter().rev() {
        visit(start, &reversed, &mut seen, &mut |node| groups[node] = start);
    }
    groups
}

/// Visits the nodes that are reached and were not visited, each after those that it leads to. Without recursion, since
/// third-party documents are deep.
fn visit(start: usize, edges: &[Vec<usize>], seen: &mut [bool], leave: &mut dyn FnMut(usize)) {
    if std::mem::replace(&mut seen[start], true) {
        return;
    }
    let mut path = vec![(start, edges[start].iter())];
    while let Some((node, targets)) = path.last_mut() {
        let Some(next) = targets.next() else {
            leave(*node);
            path.pop();
            continue;
        };
        if !std::mem::replace(&mut seen[*next], true) {
            path.push((*next, edges[*next].iter()));
        }
    }
}
