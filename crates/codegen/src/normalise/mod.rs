//! Pass 2: one form for equivalent constructs. Each part that moves keeps its location in the author's text.
//!
//! Both profiles: chosen names of schemas, the document's default security on each operation, inline objects, enums and
//! unions as named schemas, and two schemas for one whose members differ between requests and responses. The strict one
//! adds the defaults of the document (`defaults`). The tolerant one also reads OpenAPI 3.0, derives missing names, and
//! drops members that only document.

mod bodies;
mod constructs;
mod contents;
mod deep_references;
mod defaults;
mod direction;
mod flatten;
mod hoist;
mod merge_patch;
mod names;
mod operations;
mod place;
mod problems;
mod required;
mod rust_names;
mod schema_names;
mod servers;
mod several;
mod tags;
mod upgrade;

use crate::Profile;
use crate::source::Source;

pub(crate) use defaults::{Mistake, remove as remove_defaults};

/// Expands the defaults of the document. A check reports their mistakes.
pub(crate) fn write_out(source: &mut Source<'_>, profile: Profile) {
    if profile.is_strict() {
        defaults::expand(source);
        defaults::remove(source);
    }
}

/// Rewrites the document. Returns the mistakes of its defaults, which the strict profile adds to the parts that have
/// them.
pub(crate) fn normalise(source: &mut Source<'_>, profile: Profile) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    if profile.is_strict() {
        mistakes = defaults::expand(source);
    } else {
        contents::rewrite(source);
        upgrade::upgrade(&mut source.value);
        deep_references::name(source);
        constructs::rewrite(source);
        required::settle(source);
        flatten::flatten(source);
        merge_patch::mark(&mut source.value);
        operations::complete(&mut source.value);
        schema_names::rename(source);
        problems::add(&mut source.value);
    }
    schema_names::choose(source);
    operations::default_security(&mut source.value);
    several::split(&mut source.value);
    hoist::hoist(source);
    direction::split(source);
    if !profile.is_strict() {
        tags::complete(&mut source.value);
        rust_names::choose(&mut source.value);
        upgrade::annotations(&mut source.value);
    }
    mistakes
}
