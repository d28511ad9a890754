//! Statuses that were provoked at an operation, compared with the document.

use std::collections::BTreeSet;

use wearlab_server::Operation;
use wearlab_tests::parameters::{described, resolved};

use super::RawResponse;

/// Returns the declared statuses of an operation.
pub(super) fn declared(operation: &Operation) -> BTreeSet<String> {
    described(operation)["responses"]
        .as_object()
        .expect("responses")
        .keys()
        .cloned()
        .collect()
}

/// Statuses that were provoked at an operation, checked against the document.
pub(super) struct Seen {
    pub(super) operation: &'static Operation,
    statuses: BTreeSet<String>,
}

impl Seen {
    pub(super) fn of(operation: &'static Operation) -> Self {
        Self {
            operation,
            statuses: BTreeSet::new(),
        }
    }

    /// Fails unless each status of the document was provoked, except 500.
    pub(super) fn check(self) {
        let id = self.operation.id;
        let mut declared = declared(self.operation);
        assert!(declared.remove("500"), "{id}: a panic is a 500");
        assert_eq!(self.statuses, declared, "{id}");
    }

    /// Records a response, and checks its headers and its body against the document.
    pub(super) fn note(&mut self, status: u16, response: &RawResponse) {
        let id = self.operation.id;
        assert_eq!(
            response.status,
            status,
            "{id}: {}",
            String::from_utf8_lossy(&response.body)
        );
        let described = described(self.operation)["responses"].get(status.to_string());
        let described = resolved(described.unwrap_or_else(|| panic!("{id}: the document has no {status}")));
        for (header, value) in described["headers"].as_object().into_iter().flatten() {
            let required = resolved(value)["required"] == true;
            assert!(
                !required || response.header(header).is_some(),
                "{id}: {status}: no {header}"
            );
        }
        match described["content"]
            .as_object()
            .and_then(|content| content.keys().next())
        {
            Some(kind) => assert_eq!(response.header("content-type"), Some(kind.as_str()), "{id}: {status}"),
            None => assert!(response.body.is_empty(), "{id}: {status}: a body"),
        }
        self.statuses.insert(status.to_string());
    }
}
