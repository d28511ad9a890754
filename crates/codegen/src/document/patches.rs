//! Bodies of PATCH in third-party documents: an empty list removes all items, and its absence leaves them.

use std::collections::BTreeSet;

use super::{ContentKind, Document, Method, Schema, SchemaKind, Type};

impl Document {
    /// Distinguishes empty lists and maps from absent ones in objects that PATCH alone has. Those that are `received`, too, have
    /// lists that are never absent.
    pub(super) fn send_empty_members(&mut self, received: &BTreeSet<String>) {
        let patched = self.bodies(|method| method == Method::Patch);
        let others = self.bodies(|method| method != Method::Patch);
        let alone = |name: &String| !received.contains(name) && !others.contains(name);
        for schema in &mut self.schemas {
            if !patched.contains(&schema.name) || !alone(&schema.name) {
                continue;
            }
            if let SchemaKind::Object { properties, .. } = &mut schema.kind {
                for property in properties {
                    let has_empty = matches!(property.ty, Type::Array(..) | Type::Map { .. } | Type::Open(_));
                    property.sends_empty = has_empty && !property.required && property.default.is_none();
                }
            }
        }
    }

    /// The schemas of JSON bodies of some methods, and those that they refer to.
    fn bodies(&self, method: fn(Method) -> bool) -> BTreeSet<String> {
        let operations = self.operations.iter().filter(|operation| method(operation.method));
        let mut names = Vec::new();
        for content in operations.filter_map(|operation| Some(&operation.request.as_ref()?.content)) {
            if let ContentKind::Json(ty) = &content.kind {
                ty.references(&mut names);
            }
        }
        Schema::within(&self.schemas, names)
    }
}
