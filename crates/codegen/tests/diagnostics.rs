//! Every diagnostic has a fixture: a mistake, and beside it the message that it is answered with.
//!
//! `diagnostics/CODE.edit` or `diagnostics/CODE.VARIANT.edit` changes `small.yaml`; where that does not fit,
//! `CODE.yaml` is a document of its own. After a change of messages, `INSTA_UPDATE=always cargo test -p wearlab-codegen
//! --test diagnostics` writes the snapshots: read their diff.

#[path = "shared/hunks.rs"]
mod hunks;
#[path = "diagnostics/together.rs"]
mod together;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use wearlab_codegen::{Code, Diagnostics, Error, generate};

const SMALL: &str = include_str!("small.yaml");

/// What the generator says of a document that it must refuse.
fn complaint(file: &str, text: &str) -> Diagnostics {
    match generate(file, text) {
        Ok(_) => panic!("{file}: the mistake was carried:\n{text}"),
        Err(Error::Document(diagnostics)) => diagnostics,
        Err(other) => panic!("{file}: {other}"),
    }
}

/// A mistake to make.
struct Fixture {
    /// `CODE` or `CODE.VARIANT`.
    name: String,
    file: String,
    text: String,
}

impl Fixture {
    fn code(&self) -> &str {
        self.name.split('.').next().unwrap_or_default()
    }
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics")
}

/// The names of all files with an extension, without it, in order.
fn names(extension: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(folder()).expect("a folder of fixtures");
    let files = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"));
    files
        .filter_map(|file| file.strip_suffix(&format!(".{extension}")).map(str::to_owned))
        .collect()
}

fn fixtures() -> Vec<Fixture> {
    let read = |name: &str, extension: &str| {
        fs::read_to_string(folder().join(format!("{name}.{extension}"))).expect("a fixture is read")
    };
    let edits = names("edit").into_iter().map(|name| Fixture {
        text: hunks::apply(SMALL, &read(&name, "edit")).unwrap_or_else(|why| panic!("{name}.edit: {why}")),
        file: "small.yaml".to_owned(),
        name,
    });
    let documents = names("yaml").into_iter().map(|name| Fixture {
        text: read(&name, "yaml"),
        file: format!("{name}.yaml"),
        name,
    });
    edits.chain(documents).collect()
}

#[test]
fn the_small_document_is_carried() {
    if let Err(error) = generate("small.yaml", SMALL) {
        panic!("{error}");
    }
}

#[test]
fn each_mistake_is_answered_with_one_message_under_its_own_code() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("diagnostics");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    for fixture in fixtures() {
        let diagnostics = complaint(&fixture.file, &fixture.text);
        let codes: Vec<_> = diagnostics.list().iter().map(|d| d.code.as_str()).collect();
        assert_eq!(codes, [fixture.code()], "{}:\n{diagnostics}", fixture.name);
        settings.bind(|| insta::assert_snapshot!(fixture.name.as_str(), diagnostics));
    }
}

#[test]
fn every_code_has_a_fixture() {
    let fixtures = fixtures();
    let shown: BTreeSet<_> = fixtures.iter().map(Fixture::code).collect();
    let codes: BTreeSet<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(codes.len(), Code::ALL.len(), "two codes have one slug");
    let missing: Vec<_> = codes.difference(&shown).collect();
    let unknown: Vec<_> = shown.difference(&codes).collect();
    assert!(
        missing.is_empty() && unknown.is_empty(),
        "without a fixture: {missing:?}; without a code: {unknown:?}"
    );
}

#[test]
fn every_snapshot_has_a_fixture() {
    let fixtures = fixtures().into_iter().map(|fixture| fixture.name).collect();
    let left: Vec<_> = names("snap").difference(&fixtures).cloned().collect();
    assert!(left.is_empty(), "snapshots of nothing: {left:?}");
}
