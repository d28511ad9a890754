//! Everyday edits of a small document: supported, except for those with a reason in the tables.
//!
//! Tables in `everyday/`; each edit sets values at JSON pointers of `small.yaml`. `INSTA_UPDATE=always cargo test -p
//! wearlab-codegen everyday::` accepts a changed outcome.

mod combined;
mod edit;

use std::collections::BTreeSet;

use crate::merge;
use crate::scratch;
use edit::Edit;
use wearlab_codegen::{Error, generate};

/// Outcome of an edit, in a line: supported, or the codes of the diagnostics.
fn outcome(edit: &Edit) -> String {
    match generate("small.json", &edit.document().to_string()) {
        Ok(_) => "supported".to_owned(),
        Err(Error::Document(diagnostics)) => {
            let codes: Vec<_> = diagnostics.list().iter().map(|found| found.code.as_str()).collect();
            format!("refused: {}", codes.join(", "))
        }
        Err(other) => panic!("{}: {other}", edit.name),
    }
}

#[test]
fn everyday_edits_are_supported() {
    let (mut text, mut wrong) = (String::new(), String::new());
    let edits = edit::all();
    let mut supported = 0;
    for edit in &edits {
        let outcome = outcome(edit);
        let is_supported = outcome == "supported";
        supported += usize::from(is_supported);
        if is_supported == edit.refused.is_some() {
            wrong.push_str(&format!(
                "{}: {outcome}; the table's reason to refuse it: {:?}\n",
                edit.name, edit.refused
            ));
        }
        text.push_str(&format!("{}: {outcome}\n", edit.name));
    }
    text.push_str(&format!("\n{supported} of {} edits are supported\n", edits.len()));
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("everyday");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("outcome", text));
    assert!(wrong.is_empty(), "not what the tables say:\n{wrong}");
}

#[test]
fn no_two_edits_have_the_same_name() {
    let mut seen = BTreeSet::new();
    for edit in edit::all() {
        assert!(seen.insert(edit.name.clone()), "{} is there twice", edit.name);
    }
}

#[test]
#[ignore = "compiles a workspace; CI runs it"]
fn supported_edits_compile_together() {
    let mut all = merge::Merged::project();
    for (number, edit) in edit::all()
        .iter()
        .enumerate()
        .filter(|(_, edit)| edit.refused.is_none())
    {
        if outcome(edit) == "supported" {
            all.add(&edit.name, &combined::renamed(number, edit));
        }
    }
    let scratch = scratch::Scratch::new("everyday", &all.json().to_string());
    scratch.cargo(&["check", "--features", "wearlab-models/builder,wearlab-models/schemars"]);
}
