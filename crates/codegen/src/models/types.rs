//! Structs by typify, as parsed items; `structs` formats them.

use std::collections::BTreeMap;

use quote::ToTokens;
use schemars_typify::schema::Schema as JsonSchema;
use serde_json::{Map, Value, json};
use syn::visit_mut::VisitMut;
use syn::{Item, ItemStruct};
use typify::{TypeSpace, TypeSpaceImpl, TypeSpaceSettings};

use crate::Error;
use crate::document::{Document, Property, SchemaKind, Type};
use crate::formats::conversions;
use crate::short_paths::ShortPaths;

/// Typify's output for the document's schemas, to be taken item by item.
pub(super) struct Types {
    structs: BTreeMap<String, ItemStruct>,
}

impl Types {
    pub(super) fn new(document: &Document) -> Result<Self, Error> {
        let internal = |error: &dyn std::fmt::Display| Error::internal("models", error);
        let mut space = TypeSpace::new(&settings(document));
        let mut definitions = Vec::new();
        let mut define = |name: String, schema: Value| -> Result<(), Error> {
            let parsed: JsonSchema = serde_json::from_value(schema).map_err(|e| internal(&e))?;
            definitions.push((name, parsed));
            Ok(())
        };
        for schema in &document.schemas {
            define(schema.name.clone(), json!({ "type": "string" }))?;
            if let SchemaKind::Object { properties, .. } = &schema.kind {
                define(stand_in(&schema.name), fields(properties))?;
            }
        }
        space.add_ref_types(definitions).map_err(|e| internal(&e))?;
        let mut file: syn::File = syn::parse2(space.to_stream()).map_err(|e| internal(&e))?;
        ShortPaths.visit_file_mut(&mut file);
        let mut types = Self {
            structs: BTreeMap::new(),
        };
        for item in file.items {
            types.sort_in(item)?;
        }
        Ok(types)
    }

    fn sort_in(&mut self, item: Item) -> Result<(), Error> {
        match item {
            Item::Struct(item) => {
                self.structs.insert(item.ident.to_string(), item);
            }
            // Implementations such as `Default` of the structs are dropped: constructors are ours.
            Item::Impl(_) => {}
            // Defaults and conversion errors are dropped: ours are elsewhere.
            Item::Mod(module) if module.ident == "error" || module.ident == "defaults" => {}
            other => {
                let text = other.to_token_stream().to_string();
                return Err(Error::internal("models", format!("unexpected item of typify: {text}")));
            }
        }
        Ok(())
    }

    /// The struct of a schema.
    pub(super) fn take(&mut self, name: &str) -> Result<ItemStruct, Error> {
        self.structs
            .remove(&stand_in(name))
            .ok_or_else(|| Error::internal("models", format!("typify made no struct `{name}`")))
    }

    /// Removes the struct of a schema that is written elsewhere, if there is one.
    pub(super) fn leave_out(&mut self, name: &str) {
        self.structs.remove(&stand_in(name));
    }

    /// Fails if typify wrote an item that belongs to no schema.
    pub(super) fn finish(self) -> Result<(), Error> {
        let left: Vec<_> = self.structs.into_keys().collect();
        if left.is_empty() {
            return Ok(());
        }
        Err(Error::internal(
            "models",
            format!("typify wrote types that belong to no schema: {}", left.join(", ")),
        ))
    }
}

fn settings(document: &Document) -> TypeSpaceSettings {
    let mut settings = TypeSpaceSettings::default();
    settings.with_map_type("BTreeMap");
    settings.with_derive("PartialEq".to_owned());
    let text_impls = [TypeSpaceImpl::FromStr, TypeSpaceImpl::Display];
    for (format, name) in conversions() {
        settings.with_conversion(format, name, text_impls.into_iter());
    }
    for schema in &document.schemas {
        settings.with_replacement(&schema.name, &schema.name, text_impls.into_iter());
    }
    settings
}

/// The struct of an object, by the name of its builder: a reference to an object is never a cycle for typify, which would
/// box one of its properties, whichever it meets first. `structs` boxes by `Property::boxed`.
fn stand_in(name: &str) -> String {
    format!("{name}Builder")
}

/// Only the keywords that determine the fields: the server checks limits, and `structs` writes docs and defaults.
fn fields(properties: &[Property]) -> Value {
    let members: Map<_, _> = properties
        .iter()
        .map(|property| (key(property), optional(property)))
        .collect();
    // A field with a default always has a value.
    let required = properties
        .iter()
        .filter(|property| property.required || property.default.is_some());
    let required: Vec<_> = required.map(key).collect();
    json!({ "type": "object", "properties": members, "required": required })
}

/// The name that typify derives the field from. Of one that the document chooses, `structs` keeps the property's own.
pub(super) fn key(property: &Property) -> String {
    property.rust_name.as_ref().unwrap_or(&property.name).clone()
}

/// The type of a field. A list that is sent although it is empty is absent as null.
fn optional(property: &Property) -> Value {
    match property.sends_empty {
        true => json!({ "oneOf": [field(&property.ty), { "type": "null" }] }),
        false => field(&property.ty),
    }
}

fn field(ty: &Type) -> Value {
    match ty {
        Type::String(_) => json!({ "type": "string" }),
        Type::Secret(_) => json!({ "type": "string", "format": "password" }),
        Type::File(_) => json!({ "type": "string", "format": "file" }),
        Type::Uuid => json!({ "type": "string", "format": "uuid" }),
        Type::Date => json!({ "type": "string", "format": "date" }),
        Type::DateTime => json!({ "type": "string", "format": "date-time" }),
        Type::Ipv4 => json!({ "type": "string", "format": "ipv4" }),
        Type::Ipv6 => json!({ "type": "string", "format": "ipv6" }),
        Type::Integer(width, _) => json!({ "type": "integer", "format": width.format() }),
        Type::Number(_) => json!({ "type": "number" }),
        Type::Boolean => json!({ "type": "boolean" }),
        Type::Any => json!(true),
        Type::Open(_) => json!({ "type": "object" }),
        Type::Ref(name) => reference(name),
        Type::Array(items, _) => json!({ "type": "array", "items": field(items) }),
        Type::Map { keys, values, .. } => {
            let keys = keys.as_deref().map_or_else(|| json!({ "type": "string" }), reference);
            json!({ "type": "object", "propertyNames": keys, "additionalProperties": field(values) })
        }
        Type::Nullable(inner) => json!({ "oneOf": [field(inner), { "type": "null" }] }),
    }
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}
