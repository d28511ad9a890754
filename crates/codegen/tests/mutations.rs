//! Altered documents: rejected with a location, or supported, without a panic or an internal error.

use wearlab_codegen::{Error, generate};

const SMALL: &str = include_str!("small.yaml");
const NAMES: &str = include_str!("features/names.yaml");

/// Each document, with the step between tested alterations.
const DOCUMENTS: [(&str, usize); 2] = [(SMALL, 3), (NAMES, 11)];

/// Tries every n-th alteration of a document.
struct Sample {
    step: usize,
    seen: usize,
}

impl Sample {
    fn survives(&mut self, text: impl FnOnce() -> String, what: impl FnOnce() -> String) {
        self.seen += 1;
        if self.seen.is_multiple_of(self.step) {
            survives(&text(), &what());
        }
    }
}

fn documents() -> impl Iterator<Item = (&'static str, Sample)> {
    DOCUMENTS
        .into_iter()
        .map(|(text, step)| (text, Sample { step, seen: 0 }))
}

fn survives(text: &str, what: &str) {
    match generate("small.yaml", text) {
        Ok(_) => {}
        Err(Error::Document(diagnostics)) => {
            assert!(!diagnostics.list().is_empty(), "{what}");
            assert!(diagnostics.to_string().contains("small.yaml"), "{what}");
            let reported: Vec<_> = diagnostics
                .list()
                .iter()
                .map(|d| (d.code, d.span.clone(), &d.message))
                .collect();
            for (index, one) in reported.iter().enumerate() {
                assert!(
                    !reported[..index].contains(one),
                    "{what}: one mistake is reported twice:\n{diagnostics}"
                );
            }
        }
        Err(other) => panic!("{what}: {other}\n{text}"),
    }
}

#[test]
fn any_line_may_be_missing_or_doubled() {
    for (document, mut sample) in documents() {
        let lines: Vec<_> = document.lines().collect();
        for index in 0..lines.len() {
            let mut without = lines.clone();
            without.remove(index);
            sample.survives(|| without.join("\n"), || format!("without line {}", index + 1));
            let mut doubled = lines.clone();
            doubled.insert(index, lines[index]);
            sample.survives(|| doubled.join("\n"), || format!("line {} twice", index + 1));
        }
    }
}

#[test]
fn any_value_may_be_of_another_kind() {
    const VALUES: [&str; 12] = [
        "null",
        "1",
        "-1.5",
        "true",
        "[]",
        "{}",
        "[1, {}]",
        "{a: b}",
        "\"\"",
        "\"é / ~ {x}\"",
        "type",
        "self",
    ];
    for (document, mut sample) in documents() {
        let lines: Vec<_> = document.lines().collect();
        for (index, line) in lines.iter().enumerate() {
            for value in VALUES {
                let changed = match (line.split_once(": "), line.split_once("- ")) {
                    (Some((key, _)), _) => format!("{key}: {value}"),
                    (None, Some((indent, _))) => format!("{indent}- {value}"),
                    (None, None) => continue,
                };
                let mut text = lines.clone();
                text[index] = &changed;
                sample.survives(|| text.join("\n"), || format!("line {}: {changed}", index + 1));
            }
        }
    }
}

#[test]
fn any_key_may_be_another() {
    for (document, mut sample) in documents() {
        let lines: Vec<_> = document.lines().collect();
        for (index, line) in lines.iter().enumerate() {
            for name in ["$ref", "self", "9lives", "Öl", "x-tag", "\"\"", "a b", "type"] {
                let Some((key, value)) = line.split_once(':') else {
                    continue;
                };
                let indent = &key[..key.len() - key.trim_start_matches([' ', '-']).len()];
                let changed = format!("{indent}{name}:{value}");
                let mut text = lines.clone();
                text[index] = &changed;
                sample.survives(|| text.join("\n"), || format!("line {}: {changed}", index + 1));
            }
        }
    }
}

#[test]
fn the_document_may_end_anywhere() {
    for (document, mut sample) in documents() {
        for (end, _) in document.char_indices().step_by(7) {
            sample.survives(|| document[..end].to_owned(), || format!("the first {end} bytes"));
        }
    }
}
