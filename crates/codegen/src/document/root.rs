//! The document as a whole.

use std::collections::BTreeSet;

use heck::{ToKebabCase, ToShoutySnakeCase};

use super::{Carrier, Operation, Schema, SecurityScheme, Server, Tag, Webhook};
use crate::plain::plain;
use crate::rustdoc::rustdoc;

/// The typed document.
pub(crate) struct Document {
    pub(crate) title: String,
    pub(crate) version: String,
    /// Prefix of variables of the environment.
    pub(crate) prefix: String,
    /// The tags: one module each in every generated crate.
    pub(crate) tags: Vec<Tag>,
    /// The top-level server first, then those of paths and of operations.
    pub(crate) servers: Vec<Server>,
    pub(crate) security: Vec<SecurityScheme>,
    pub(crate) schemas: Vec<Schema>,
    /// The schemas whose types visit their secrets.
    pub(crate) visited: BTreeSet<String>,
    /// True for a document of the tolerant profile.
    pub(crate) third_party: bool,
    /// True if readers accept what services send in another form than the document has.
    pub(crate) lenient: bool,
    /// The closed enums whose readers keep other values.
    pub(crate) open_enums: BTreeSet<String>,
    pub(crate) operations: Vec<Operation>,
    pub(crate) webhooks: Vec<Webhook>,
}

impl Document {
    /// The operations of a tag, in the document's order.
    pub(crate) fn operations_of<'a>(&'a self, tag: &'a Tag) -> impl Iterator<Item = &'a Operation> {
        self.operations.iter().filter(|operation| operation.tag == tag.name)
    }

    /// The operations whose calls have streams of pages.
    pub(crate) fn paged_operations(&self) -> impl Iterator<Item = &Operation> {
        let all = self.operations.iter();
        all.filter(|operation| operation.position_parameter().is_some())
    }

    /// The tags that have operations.
    pub(crate) fn operation_tags(&self) -> impl Iterator<Item = &Tag> {
        self.tags.iter().filter(|tag| self.operations_of(tag).next().is_some())
    }

    /// The schemas of request bodies, and those that they refer to.
    pub(crate) fn sent_schemas(&self) -> BTreeSet<String> {
        let bodies = self
            .operations
            .iter()
            .filter_map(|operation| operation.request.as_ref());
        let mut names = Vec::new();
        bodies
            .filter_map(|body| body.content.ty())
            .for_each(|ty| ty.references(&mut names));
        Schema::within(&self.schemas, names)
    }

    /// Place of a credential in a request.
    pub(crate) fn carrier(&self, scheme: &str) -> Option<&Carrier> {
        let scheme = self.security.iter().find(|known| known.name == scheme)?;
        Some(&scheme.carrier)
    }

    /// Returns whether an operation requires scopes of a credential.
    pub(crate) fn is_scoped(&self, scheme: &str) -> bool {
        let needed = self
            .operations
            .iter()
            .flat_map(|operation| operation.security.iter().flatten());
        needed
            .into_iter()
            .any(|needed| needed.scheme == scheme && !needed.scopes.is_empty())
    }

    /// The variable of the environment for an option of the command line, a server or a credential.
    pub(crate) fn variable(&self, option: &str) -> String {
        format!("{}_{}", self.prefix, option.to_shouty_snake_case())
    }

    /// The name of the service, as crates and URNs have it: `train-travel`.
    pub(crate) fn service(&self) -> String {
        self.prefix.to_kebab_case()
    }

    /// Title and version, for the middle of a sentence.
    pub(crate) fn name(&self) -> String {
        rustdoc(&plain(&format!("{} {}", self.title, self.version)))
    }
}
