//! Members of the response of a page.

use super::Step;
use super::names::{is_envelope, is_holder, snake};
use crate::document::{Property, Schema, SchemaKind, Type};

/// The most objects on the way to a member.
const DEPTH: usize = 3;

/// A member of a page, or of an object about it.
pub(super) struct Member<'d> {
    /// The names on the way to it, in snake case.
    pub(super) names: Vec<String>,
    pub(super) way: Vec<Step>,
    pub(super) property: &'d Property,
    /// Its type, without null.
    pub(super) ty: &'d Type,
}

impl Member<'_> {
    /// The name in snake case.
    pub(super) fn name(&self) -> &str {
        self.names.last().map_or("", String::as_str)
    }

    /// Returns whether it is a text.
    pub(super) fn is_text(&self) -> bool {
        matches!(self.ty, Type::String(_))
    }

    /// Returns whether it is a whole number that fits into 64 bits.
    pub(super) fn is_number(&self) -> bool {
        matches!(self.ty, Type::Integer(width, _) if width.bits < 64 || width.signed)
    }

    /// Its description, in lower case.
    pub(super) fn description(&self) -> String {
        self.property.docs.paragraphs().join(" ").to_lowercase()
    }
}

/// The items of a page.
pub(super) struct Items<'d> {
    pub(super) way: Vec<Step>,
    pub(super) item: &'d Type,
}

/// The type that aliases stand for, without null.
pub(super) fn resolved<'d>(mut ty: &'d Type, schemas: &'d [Schema]) -> &'d Type {
    // Aliases may refer to each other in a circle, which is rejected elsewhere.
    for _ in 0..schemas.len() {
        ty = ty.without_null();
        let Type::Ref(name) = ty else { break };
        match schemas
            .iter()
            .find(|schema| schema.name == *name)
            .map(|schema| &schema.kind)
        {
            Some(SchemaKind::Alias(target)) => ty = target,
            _ => break,
        }
    }
    ty.without_null()
}

/// The properties of an object.
pub(super) fn properties<'d>(ty: &'d Type, schemas: &'d [Schema]) -> &'d [Property] {
    let Type::Ref(name) = resolved(ty, schemas) else {
        return &[];
    };
    match schemas
        .iter()
        .find(|schema| schema.name == *name)
        .map(|schema| &schema.kind)
    {
        Some(SchemaKind::Object { properties, .. }) => properties,
        _ => &[],
    }
}

/// The members of a page, and those of the objects about it.
pub(super) fn all<'d>(body: &'d Type, schemas: &'d [Schema]) -> Vec<Member<'d>> {
    let mut found = Vec::new();
    collect(body, schemas, &[], &[], &mut found);
    found
}

fn collect<'d>(ty: &'d Type, schemas: &'d [Schema], names: &[String], way: &[Step], found: &mut Vec<Member<'d>>) {
    for property in properties(ty, schemas) {
        let name = snake(&property.name);
        let is_open = is_holder(&name) || (names.is_empty() && is_envelope(&name));
        let member = Member {
            names: [names, &[name]].concat(),
            way: [way, &[step(property)]].concat(),
            property,
            ty: resolved(&property.ty, schemas),
        };
        if is_open && way.len() < DEPTH && !property.distinguish_null {
            collect(member.ty, schemas, &member.names, &member.way, found);
        }
        if !property.distinguish_null {
            found.push(member);
        }
    }
}

/// The items of a page: its only list, or that of the object in it.
pub(super) fn items<'d>(body: &'d Type, schemas: &'d [Schema]) -> Option<Items<'d>> {
    if matches!(body, Type::Nullable(_)) {
        return None;
    }
    if let Type::Array(item, _) = resolved(body, schemas) {
        let way = Vec::new();
        return Some(Items { way, item });
    }
    let here = properties(body, schemas);
    let found = match lists(here, schemas) {
        Lists::One(property, item) => Items {
            way: vec![step(property)],
            item,
        },
        Lists::Several => return None,
        Lists::None => {
            let mut envelopes = here.iter().filter(|property| is_envelope(&snake(&property.name)));
            let (Some(envelope), None) = (envelopes.next(), envelopes.next()) else {
                return None;
            };
            let Lists::One(property, item) = lists(properties(&envelope.ty, schemas), schemas) else {
                return None;
            };
            Items {
                way: vec![step(envelope), step(property)],
                item,
            }
        }
    };
    // The path of the items is their names with a dot between them.
    let is_plain = |step: &Step| !step.property.contains(['.', '*']);
    found.way.iter().all(is_plain).then_some(found)
}

/// The lists of an object.
enum Lists<'d> {
    None,
    One(&'d Property, &'d Type),
    Several,
}

/// The only list of objects, or else the only list.
fn lists<'d>(properties: &'d [Property], schemas: &'d [Schema]) -> Lists<'d> {
    let all = properties.iter().filter(|property| !property.distinguish_null);
    let all: Vec<_> = all
        .filter_map(|property| match property.ty.without_null() {
            Type::Array(item, _) => Some((property, &**item)),
            _ => None,
        })
        .collect();
    let objects: Vec<_> = all.iter().filter(|(_, item)| !item.is_scalar(schemas)).collect();
    match (objects.as_slice(), all.as_slice()) {
        ([(property, item)], _) | ([], [(property, item)]) => Lists::One(property, item),
        ([], []) => Lists::None,
        _ => Lists::Several,
    }
}

/// The step to a property.
pub(super) fn step(property: &Property) -> Step {
    let nullable = matches!(property.ty, Type::Nullable(_));
    let is_list = matches!(property.ty, Type::Array(..));
    Step {
        property: property.name.clone(),
        field: property.field(),
        optional: property.default.is_none() && (nullable || !property.required && !is_list),
    }
}
