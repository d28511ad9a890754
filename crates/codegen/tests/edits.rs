//! Typical edits of a spec author: their effect on the generated files, the output of `cargo xtask diff`, and the
//! compilation of all of it, with code that uses the new parts.
//!
//! The document is a frozen one, `edits/spec`, so that a change of the project's own changes no outcome. An edit is
//! `edits/NAME.edit`, its outcome `edits/NAME.snap`, and the code that uses it `edits/consumer/NAME.rs`. To accept
//! outcomes: `INSTA_UPDATE=always cargo test -p wearlab-codegen edits::`, and read the diff.

mod compile;
mod edit;
mod outcome;
mod renames;

use std::sync::LazyLock;

use crate::project;
use wearlab_codegen::Bump;

/// The frozen document.
static FROZEN: LazyLock<String> = LazyLock::new(|| project::text(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/edits")));

/// The edits, each with the resulting part of a version, from 1.0 on.
const EDITS: &[(&str, Bump)] = &[
    // A method without a default body: implementers of the trait must write it.
    ("new_endpoint", Bump::Major),
    ("new_tag", Bump::Major),
    ("optional_field", Bump::Minor),
    ("enum_value", Bump::Minor),
    // Pages of pipelines have a region: an older client cannot read a new one.
    ("closed_enum_value", Bump::Major),
    ("query_parameter", Bump::Minor),
    ("header_parameter", Bump::Major),
    ("path_parameter", Bump::Major),
    ("new_schema", Bump::Minor),
    ("renamed_operation", Bump::Major),
    ("new_event", Bump::Minor),
    ("new_credential", Bump::Major),
    ("new_server", Bump::Major),
    ("nullable_field", Bump::Major),
    ("deprecated_operation", Bump::Minor),
    ("deprecated_parameter", Bump::Minor),
    ("deprecated_field", Bump::Minor),
    ("deprecated_schema", Bump::Minor),
    ("deprecated_event", Bump::Minor),
];

#[test]
fn each_edit_changes_what_it_is_about_and_nothing_else() {
    for (name, bump) in EDITS {
        let edited = edit::apply(&FROZEN, name);
        let (needed, text) = outcome::of(&edited);
        assert_eq!(needed, *bump, "{name}: {text}");
        outcome::assert(name, &text);
    }
}

/// Edits of different lines: together they are one document, and one compilation.
#[test]
#[ignore = "compiles a workspace; CI runs it"]
fn all_edits_compile() {
    let edited = EDITS
        .iter()
        .fold(FROZEN.clone(), |text, (name, _)| edit::apply(&text, name));
    let modules: Vec<_> = EDITS.iter().map(|(name, _)| *name).chain(["service"]).collect();
    compile::check("edits", &edited, &modules);
}

#[test]
fn every_edit_is_in_the_table() {
    let mut files = edit::names();
    let mut names: Vec<_> = EDITS.iter().map(|(name, _)| (*name).to_owned()).collect();
    files.sort();
    names.sort();
    assert_eq!(files, names);
}
