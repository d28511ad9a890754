//! Types of the headers of responses. The headers of a response are the properties of an object, which is a type of the
//! models.

use std::collections::BTreeMap;

use heck::ToUpperCamelCase;
use serde_json::{Map, json};

use super::response_headers::{Header, HeaderType};
use super::{Docs, Members, Operation, Schema, SchemaKind, SizeLimits, Type, variant};

/// Names the type of each response's headers; returns the types.
pub(super) fn name(operation: &mut Operation, headers: Vec<(u16, Vec<Header>)>) -> Vec<Schema> {
    let (choice, endpoint) = (operation.is_choice(), operation.endpoint_span());
    let stem = operation.id.to_upper_camel_case();
    let mut schemas = Vec::new();
    for (status, headers) in headers.into_iter().filter(|(_, headers)| !headers.is_empty()) {
        let own = if choice { variant(status) } else { String::new() };
        let name = format!("{stem}{own}Headers");
        let responses = std::iter::once(&mut operation.success).chain(&mut operation.others);
        for response in responses.filter(|response| response.status == status) {
            response.headers = Some(HeaderType {
                ty: Type::Ref(name.clone()),
                names: headers.iter().map(|header| header.property.name.clone()).collect(),
            });
        }
        let description = format!("The headers of the response {status} of {endpoint}.");
        schemas.push(schema(name, operation.tag.clone(), description, headers));
    }
    schemas
}

fn schema(name: String, tag: String, description: String, headers: Vec<Header>) -> Schema {
    let schemas: Map<_, _> = headers
        .iter()
        .map(|header| (header.property.name.clone(), header.schema.clone()))
        .collect();
    let required: Vec<_> = headers
        .iter()
        .filter(|header| header.property.required)
        .map(|header| header.property.name.clone())
        .collect();
    let value = json!({ "type": "object", "properties": schemas, "required": required });
    let docs = Docs {
        description,
        ..Docs::default()
    };
    Schema {
        name,
        tag,
        docs,
        kind: SchemaKind::Object {
            properties: headers.into_iter().map(|header| header.property).collect(),
            members: Members::Ignored,
        },
        columns: Vec::new(),
        attributes: Vec::new(),
        size: SizeLimits::default(),
        variants: BTreeMap::new(),
        value,
    }
}
