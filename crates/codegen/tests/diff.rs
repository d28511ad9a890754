//! Two versions of a document: what is said of each small change, and that nothing goes unsaid.

#[path = "diff/answers.rs"]
mod answers;
#[path = "diff/nothing_unsaid.rs"]
mod nothing_unsaid;
#[path = "diff/requests.rs"]
mod requests;
#[path = "diff/rust.rs"]
mod rust;

use std::collections::BTreeSet;

use wearlab_codegen::{Bump, Change, Impact, Kind, diff};

const DOCUMENT: &str = include_str!("diff/document.yaml");

/// A change that is expected: its kind, what it means for clients, and for implementers.
type Verdict = (Kind, Impact, Impact);

/// What is replaced by what, and what is then said, all of it.
type Row = (&'static [(&'static str, &'static str)], &'static [Verdict]);

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

/// A row's edits and expected verdicts, both documents, and the changes between them.
type Compared = (&'static Row, String, String, Vec<Change>);

fn compare(row: &'static Row, old: String, new: String) -> Compared {
    let changes = compared(&old, &new);
    (row, old, new, changes)
}

/// Every row of the table.
fn rows() -> Vec<Compared> {
    let forwards = requests::ROWS.iter().chain(answers::ROWS);
    let forwards = forwards.map(|row| compare(row, DOCUMENT.to_owned(), edited(row.0)));
    let backwards = answers::BACKWARDS.iter();
    let backwards = backwards.map(|row| compare(row, edited(row.0), DOCUMENT.to_owned()));
    forwards.chain(backwards).collect()
}

fn lines(changes: &[Change]) -> String {
    changes.iter().map(|change| format!("{change}\n")).collect()
}

#[test]
fn each_change_has_its_verdict() {
    let mut wrong = String::new();
    for ((edits, expected), _, _, changes) in rows() {
        let found: Vec<_> = changes.iter().map(|c| (c.kind, c.client, c.server)).collect();
        if found != *expected {
            wrong.push_str(&format!(
                "{edits:?}\nexpected {expected:?}\nfound    {found:?}\n{}\n",
                lines(&changes)
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_kind_of_change_is_in_the_table() {
    let seen: BTreeSet<Kind> = rows().iter().flat_map(|row| &row.3).map(|c| c.kind).collect();
    let all: BTreeSet<Kind> = Kind::ALL.iter().copied().collect();
    assert_eq!(all.difference(&seen).collect::<Vec<_>>(), Vec::<&Kind>::new());
}

#[test]
fn a_document_does_not_differ_from_itself() {
    for text in [
        DOCUMENT,
        include_str!("small.yaml"),
        include_str!("../../../spec/openapi.yaml"),
    ] {
        assert_eq!(lines(&compared(text, text)), "");
    }
}

#[test]
fn the_bump_follows_from_the_gravest_change() {
    for ((edits, expected), _, _, changes) in rows() {
        let gravest = expected.iter().map(|(_, client, server)| client.max(server)).max();
        let (before, after) = match gravest {
            Some(Impact::Breaking) => (Bump::Minor, Bump::Major),
            Some(Impact::Additive) => (Bump::Patch, Bump::Minor),
            _ => (Bump::Patch, Bump::Patch),
        };
        assert_eq!(Bump::needed(&changes, 0), before, "{edits:?} in 0.x");
        assert_eq!(Bump::needed(&changes, 1), after, "{edits:?} from 1 on");
    }
    assert_eq!(Bump::needed(&[], 0), Bump::None);
    assert_eq!(Bump::Minor.after([0, 3, 4]), [0, 4, 0]);
    assert_eq!(Bump::Major.after([1, 3, 4]), [2, 0, 0]);
}

#[test]
fn a_change_is_said_in_one_line() {
    let text = |edits| lines(&compared(DOCUMENT, &edited(edits)));
    assert_eq!(
        text(&[("maximum: 500", "maximum: 100")]),
        "breaks clients: GET /things/ (list_things): the query parameter limit accepts at most 100, was 500\n"
    );
    assert_eq!(
        text(&[("        colour: { type: string }\n", "")]),
        "breaks clients and implementers: Thing: the field colour is gone \
         (in list_things, get_thing, thing.{what}.made and 1 more)\n"
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
