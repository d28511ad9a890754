//! Comparison of two versions of a document: reported changes, and completeness.

mod complete;
mod operations;
mod rust;
mod schemas;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::project;
use wearlab_codegen::{Bump, Change, Impact, Kind, diff};

const DOCUMENT: &str = include_str!("diff/document.yaml");

/// An expected change: its kind, its impact on clients, and on implementers.
type Verdict = (Kind, Impact, Impact);

/// Replacements of text in the document, and all changes that they cause.
struct Row {
    edits: Edits,
    expected: Verdicts,
    /// The changes if the edited document is the older one.
    reverse: Option<Verdicts>,
}

type Edits = &'static [(&'static str, &'static str)];
type Verdicts = &'static [Verdict];

const fn row(edits: Edits, expected: Verdicts) -> Row {
    Row {
        edits,
        expected,
        reverse: None,
    }
}

const fn both_ways(edits: Edits, expected: Verdicts, reverse: Verdicts) -> Row {
    Row {
        edits,
        expected,
        reverse: Some(reverse),
    }
}

fn compared(old: &str, new: &str) -> Vec<Change> {
    diff(("old.yaml", old), ("new.yaml", new)).unwrap_or_else(|error| panic!("{error}"))
}

/// The document with a few edits.
fn edited(edits: &[(&str, &str)]) -> String {
    edits.iter().fold(DOCUMENT.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "the document has no {from:?}");
        // A schema's name is replaced wherever it is used; all else once.
        if from.starts_with("schemas/") || from.ends_with("_url}") || from.ends_with("_url:") {
            text.replace(from, to)
        } else {
            text.replacen(from, to, 1)
        }
    })
}

/// Two documents and the changes between them.
struct Compared {
    edits: Edits,
    expected: Verdicts,
    old: String,
    new: String,
    changes: Vec<Change>,
}

impl Compared {
    fn new(edits: Edits, expected: Verdicts, old: String, new: String) -> Self {
        let changes = compared(&old, &new);
        Self {
            edits,
            expected,
            old,
            new,
            changes,
        }
    }
}

/// Every row of the tables, in the directions that it has: compared once for all tests.
static COMPARISONS: LazyLock<Vec<Compared>> = LazyLock::new(|| {
    let mut all = Vec::new();
    for row in operations::ROWS.iter().chain(schemas::ROWS) {
        let (old, new) = (DOCUMENT.to_owned(), edited(row.edits));
        if let Some(expected) = row.reverse {
            all.push(Compared::new(row.edits, expected, new.clone(), old.clone()));
        }
        all.push(Compared::new(row.edits, row.expected, old, new));
    }
    all
});

fn lines(changes: &[Change]) -> String {
    changes.iter().map(|change| format!("{change}\n")).collect()
}

#[test]
fn each_change_has_its_verdict() {
    let mut wrong = String::new();
    for Compared {
        edits,
        expected,
        changes,
        ..
    } in &*COMPARISONS
    {
        let found: Vec<_> = changes.iter().map(|c| (c.kind, c.client, c.server)).collect();
        if found != *expected {
            wrong.push_str(&format!(
                "{edits:?}\nexpected {expected:?}\nfound    {found:?}\n{}\n",
                lines(changes)
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_kind_of_change_is_in_the_table() {
    let seen: BTreeSet<Kind> = COMPARISONS
        .iter()
        .flat_map(|row| &row.changes)
        .map(|c| c.kind)
        .collect();
    let all: BTreeSet<Kind> = Kind::ALL.iter().copied().collect();
    assert_eq!(all.difference(&seen).collect::<Vec<_>>(), Vec::<&Kind>::new());
}

#[test]
fn a_document_does_not_differ_from_itself() {
    for text in [DOCUMENT, include_str!("small.yaml")] {
        assert_eq!(lines(&compared(text, text)), "");
    }
    let project = project::text(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let compared = project::with("openapi.yaml", &project, |input| diff(input, input));
    assert_eq!(lines(&compared.unwrap_or_else(|error| panic!("{error}"))), "");
}

#[test]
fn the_bump_follows_from_the_gravest_change() {
    for Compared {
        edits,
        expected,
        changes,
        ..
    } in &*COMPARISONS
    {
        let gravest = expected.iter().map(|(_, client, server)| client.max(server)).max();
        let (before, after) = match gravest {
            Some(Impact::Breaking) => (Bump::Minor, Bump::Major),
            Some(Impact::Additive) => (Bump::Patch, Bump::Minor),
            _ => (Bump::Patch, Bump::Patch),
        };
        assert_eq!(Bump::needed(changes, 0), before, "{edits:?} in 0.x");
        assert_eq!(Bump::needed(changes, 1), after, "{edits:?} from 1 on");
    }
    assert_eq!(Bump::needed(&[], 0), Bump::None);
    assert_eq!(Bump::Minor.after([0, 3, 4]), [0, 4, 0]);
    assert_eq!(Bump::Major.after([1, 3, 4]), [2, 0, 0]);
}

#[test]
fn a_change_is_one_line() {
    let text = |edits| lines(&compared(DOCUMENT, &edited(edits)));
    assert_eq!(
        text(&[("maximum: 500", "maximum: 100")]),
        "breaks clients: GET /things/ (list_things): the query parameter limit accepts at most 100, was 500\n"
    );
    assert_eq!(
        text(&[("        colour: { type: string }\n", "")]),
        "breaks clients and implementers: Thing: the field colour is gone \
         (in list_things, create_thing, get_thing and 2 more)\n"
    );
}

#[test]
fn changes_stand_in_the_order_of_the_new_document() {
    let edits = [
        ("colour: { type: string }", "colour: { type: integer }"),
        ("list_teams", "all_teams"),
        ("maximum: 500", "maximum: 100"),
        ("[big, small]", "[big]"),
    ];
    let kinds: Vec<_> = compared(DOCUMENT, &edited(&edits)).iter().map(|c| c.kind).collect();
    let expected = [
        Kind::BoundTightened,
        Kind::OperationRenamed,
        Kind::FieldType,
        Kind::ValueRemoved,
    ];
    assert_eq!(kinds, expected);
}

#[test]
fn mistakes_in_either_document_are_located() {
    for (old, new) in [("openapi: 3.0.0", DOCUMENT), (DOCUMENT, "openapi: 3.0.0")] {
        let error = diff(("old.yaml", old), ("new.yaml", new)).expect_err("a mistake");
        assert!(error.to_string().contains(".yaml"), "{error}");
    }
}

#[test]
fn a_version_that_cannot_be_generated_is_refused() {
    let later = DOCUMENT.replacen("openapi: 3.1.1", "openapi: 3.2.0", 1);
    assert_ne!(later, DOCUMENT);
    for (old, new) in [(later.as_str(), DOCUMENT), (DOCUMENT, later.as_str())] {
        let error = diff(("old.yaml", old), ("new.yaml", new)).expect_err("the version is unsupported");
        assert!(
            error.to_string().contains("OpenAPI version `3.2.0` is unsupported"),
            "{error}"
        );
    }
}
