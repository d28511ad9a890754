//! Lenient readers of third-party documents: services send values that their documents do not list.

use std::collections::BTreeSet;

use super::{Document, Schema, SchemaKind};

impl Document {
    /// Makes readers accept what services send in another form than the document has, and keep values that enums of
    /// responses do not list. Servers still reject requests with such values.
    pub(crate) fn make_lenient(&mut self) {
        let mut received = Vec::new();
        let types = self.operations.iter().flat_map(|operation| operation.received_types());
        types.for_each(|ty| ty.references(&mut received));
        let received: BTreeSet<_> = Schema::within(&self.schemas, received);
        let closed = self
            .schemas
            .iter()
            .filter(|schema| matches!(schema.kind, SchemaKind::ClosedEnum(_)) && received.contains(&schema.name));
        self.open_enums = closed.map(|schema| schema.name.clone()).collect();
        self.send_empty_members(&received);
        self.lenient = true;
        self.fill_constants();
    }

    /// The values of an enum of texts; none of another schema.
    pub(crate) fn enum_values(&self, name: &str) -> &[String] {
        let schema = self.schemas.iter().find(|schema| schema.name == name);
        match schema.map(|schema| &schema.kind) {
            Some(SchemaKind::OpenEnum(values) | SchemaKind::ClosedEnum(values)) => values,
            _ => &[],
        }
    }
}
