//! Structs by typify, as parsed items; `structs` decides how they are written.

use std::collections::BTreeMap;

use quote::ToTokens;
use schemars_typify::schema::Schema as JsonSchema;
use serde_json::{Map, Value, json};
use syn::visit_mut::VisitMut;
use syn::{Item, ItemStruct};
use typify::{TypeSpace, TypeSpaceImpl, TypeSpaceSettings};

use crate::Error;
use crate::document::{Document, SchemaKind, optional_for_readers};
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
        for schema in &document.schemas {
            let plain = match schema.kind {
                SchemaKind::Object { .. } => plain(&schema.value),
                _ => json!({ "type": "string" }),
            };
            let parsed: JsonSchema = serde_json::from_value(plain).map_err(|e| internal(&e))?;
            definitions.push((schema.name.clone(), parsed));
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
            .remove(name)
            .ok_or_else(|| Error::internal("models", format!("typify made no struct `{name}`")))
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
    // `enums` emits enums: typify has no open ones.
    for schema in &document.schemas {
        if !matches!(schema.kind, SchemaKind::Object { .. }) {
            settings.with_replacement(&schema.name, &schema.name, text_impls.into_iter());
        }
    }
    settings
}

/// Only what determines a Rust type: the server checks bounds, and `structs` writes docs.
pub(super) fn plain(schema: &Value) -> Value {
    const KEPT: [&str; 10] = [
        "type",
        "format",
        "properties",
        "required",
        "additionalProperties",
        "propertyNames",
        "items",
        "oneOf",
        "default",
        "$ref",
    ];
    let Some(object) = schema.as_object() else {
        return schema.clone();
    };
    let named = object.contains_key("properties");
    let mut kept = Map::new();
    for (key, value) in object.iter().filter(|(key, _)| KEPT.contains(&key.as_str())) {
        let value = match key.as_str() {
            "properties" => value
                .as_object()
                .into_iter()
                .flatten()
                .map(|(k, v)| (k.clone(), plain(v)))
                .collect(),
            "items" | "propertyNames" => plain(value),
            "required" => {
                let names = value.as_array().into_iter().flatten();
                let insists = |name: &&Value| !optional_for_readers(&object["properties"][name.as_str().unwrap_or("")]);
                names.filter(insists).cloned().collect()
            }
            // `structs` adds the field for the undeclared members of an open object.
            "additionalProperties" if named => continue,
            "additionalProperties" => plain(value),
            "oneOf" => value.as_array().into_iter().flatten().map(plain).collect(),
            _ => value.clone(),
        };
        kept.insert(key.clone(), value);
    }
    if kept.len() > 1
        && let Some(reference) = kept.shift_remove("$ref")
    {
        kept.insert("allOf".to_owned(), json!([{ "$ref": reference }]));
    }
    Value::Object(kept)
}
