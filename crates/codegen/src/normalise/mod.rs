//! Pass 2: one form for equivalent constructs. Each part that moves keeps its location in the author's text.
//!
//! Both profiles: chosen names of schemas, the document's default security on each operation, inline objects, enums and
//! unions as named schemas, and two schemas for one whose members differ between requests and responses. The strict one
//! adds the defaults of the document (`defaults`). The tolerant one also reads other versions, derives missing names, and
//! drops members that only document.

mod bodies;
mod callbacks;
mod constructs;
mod contents;
mod defaults;
mod direction;
mod enum_choices;
mod flatten;
mod hoist;
mod local_references;
mod merge_patch;
mod names;
mod openapi_3_2;
mod operations;
mod paths;
mod place;
mod problems;
mod query_lists;
mod required;
mod rust_names;
mod schema_names;
mod servers;
mod several;
mod shared_members;
mod shared_unions;
mod streams;
mod swagger;
mod tags;
mod upgrade;

use crate::Profile;
use crate::source::Source;

pub(crate) use defaults::{Mistake, remove as remove_defaults};

/// Converts a third-party document of Swagger 2.0 or OpenAPI 3.2 to OpenAPI 3.1.
pub(crate) fn convert(source: &mut Source<'_>) {
    paths::rewrite(source);
    swagger::convert(source);
    openapi_3_2::convert(source);
    streams::rewrite(source);
}

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
        local_references::resolve(source);
        callbacks::note(source);
        contents::rewrite(source);
        bodies::without_members(&mut source.value);
        upgrade::upgrade(&mut source.value);
        enum_choices::join(&mut source.value);
        constructs::rewrite(source);
        required::resolve(source);
        flatten::flatten(source);
        shared_members::merge(&mut source.value);
        query_lists::rename(source);
        merge_patch::mark(&mut source.value);
        operations::complete(&mut source.value);
        schema_names::rename(source);
        problems::add(&mut source.value);
    }
    schema_names::choose(source);
    operations::default_security(&mut source.value);
    several::split(&mut source.value);
    hoist::hoist(source, profile);
    direction::split(source);
    if !profile.is_strict() {
        tags::complete(&mut source.value);
        rust_names::choose(&mut source.value);
        upgrade::annotations(&mut source.value);
    }
    mistakes
}
