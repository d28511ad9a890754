//! Lenient readers of third-party documents: services send values that their documents do not list.

use super::{Document, Operation, Schema, SchemaKind, Type};

impl Document {
    /// Makes readers accept what services send in another form than the document has, and keep values that enums of
    /// responses do not list, nor those of schemas that no operation uses, such as what a service pushes. Servers still
    /// reject requests with such values.
    pub(crate) fn make_lenient(&mut self) {
        let reached = |types: &mut dyn Iterator<Item = &Type>| {
            let mut names = Vec::new();
            types.for_each(|ty| ty.references(&mut names));
            Schema::within(&self.schemas, names)
        };
        let mut received = reached(&mut self.operations.iter().flat_map(Operation::received_types));
        let sent = reached(&mut self.operations.iter().flat_map(Operation::sent_types));
        let names = self.schemas.iter().map(|schema| schema.name.as_str());
        let unused = names.filter(|name| !received.contains(*name) && !sent.contains(*name));
        let unused = Schema::within(&self.schemas, unused);
        received.extend(unused);
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
