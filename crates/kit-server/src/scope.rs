//! Scopes of credentials, and their check against the requirements of an operation.

use crate::{ApiError, Document, Operation};

/// The owner of a credential whose scopes, or roles, operations require.
///
/// The router calls it with the scopes that the document lists, so that a method of an operation runs only for an
/// owner who has them. Another one gets 403.
pub trait Scoped {
    /// Returns whether the credential has a scope of the document.
    fn has_scope(&self, scope: &str) -> bool;
}

/// The owner of a credential of a request, if it was sent and is valid.
pub struct Owner<'o, C> {
    credential: C,
    valid: bool,
    scoped: Option<&'o dyn Scoped>,
}

impl<'o, C> Owner<'o, C> {
    /// The owner of a credential without scopes.
    pub fn plain<T>(credential: C, owner: Option<&T>) -> Self {
        Self {
            credential,
            valid: owner.is_some(),
            scoped: None,
        }
    }

    /// The owner of a credential with scopes.
    pub fn scoped<T: Scoped>(credential: C, owner: Option<&'o T>) -> Self {
        Self {
            credential,
            valid: owner.is_some(),
            scoped: owner.map(|owner| owner as &dyn Scoped),
        }
    }

    fn has(&self, scope: &str) -> bool {
        self.scoped.is_some_and(|owner| owner.has_scope(scope))
    }
}

/// Fails unless the owners have the scopes of one of the operation's alternatives.
///
/// # Errors
///
/// 403 if scopes are missing; `Ok(false)` if no alternative has all its credentials.
pub(crate) fn permit<D: Document>(
    operation: &Operation<D>,
    owners: &[Owner<'_, D::Credential>],
) -> Result<bool, ApiError> {
    let owner = |credential: D::Credential| owners.iter().find(|owner| owner.credential == credential);
    let mut missing: Vec<&str> = Vec::new();
    let mut complete = false;
    for (index, alternative) in operation.security.iter().enumerate() {
        if !alternative
            .iter()
            .all(|credential| owner(*credential).is_some_and(|o| o.valid))
        {
            continue;
        }
        let scopes = operation.scopes.get(index).copied().unwrap_or_default();
        let lacks = scopes.iter().flat_map(|(credential, scopes)| {
            let owner = owner(*credential);
            scopes
                .iter()
                .filter(move |scope| !owner.is_some_and(|owner| owner.has(scope)))
        });
        let before = missing.len();
        missing.extend(lacks);
        if missing.len() == before {
            return Ok(true);
        }
        complete = true;
    }
    if !complete {
        return Ok(operation.security.is_empty());
    }
    missing.dedup();
    Err(ApiError::forbidden(format!(
        "The credential lacks a scope: {}.",
        missing.join(", or ")
    )))
}
