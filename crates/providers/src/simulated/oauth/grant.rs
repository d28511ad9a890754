//! Consent of a user.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use uuid::Uuid;
use wearlab_kit_server::Scoped;

/// Consent of a user.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Grant {
    pub(super) id: Uuid,
    /// Scopes that the user granted.
    pub scopes: BTreeSet<String>,
}

impl Grant {
    pub(super) fn new(scopes: BTreeSet<String>) -> Self {
        Self {
            id: Uuid::new_v4(),
            scopes,
        }
    }
}

impl Scoped for Grant {
    fn has_scope(&self, scope: &str) -> bool {
        self.scopes.contains(scope)
    }
}
