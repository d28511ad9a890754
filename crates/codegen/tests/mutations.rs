//! A document that is broken anywhere is refused with a place, or carried: never a panic, never an internal error.

use wearlab_codegen::{Error, generate};

const SMALL: &str = include_str!("small.yaml");

fn survives(text: &str, what: &str) {
    match generate("small.yaml", text) {
        Ok(_) => {}
        Err(Error::Document(diagnostics)) => {
            assert!(!diagnostics.list().is_empty(), "{what}");
            assert!(diagnostics.to_string().contains("small.yaml"), "{what}");
        }
        Err(other) => panic!("{what}: {other}\n{text}"),
    }
}

#[test]
fn any_line_may_be_missing_or_doubled() {
    let lines: Vec<_> = SMALL.lines().collect();
    for index in 0..lines.len() {
        let without: Vec<_> = lines
            .iter()
            .enumerate()
            .filter(|(at, _)| *at != index)
            .map(|(_, line)| *line)
            .collect();
        survives(&without.join("\n"), &format!("without line {}", index + 1));
        let mut doubled = lines.clone();
        doubled.insert(index, lines[index]);
        survives(&doubled.join("\n"), &format!("line {} twice", index + 1));
    }
}

#[test]
fn any_value_may_be_of_another_kind() {
    let lines: Vec<_> = SMALL.lines().collect();
    for (index, line) in lines.iter().enumerate() {
        for value in [
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
        ] {
            let changed = match line.split_once(": ") {
                Some((key, _)) => format!("{key}: {value}"),
                None => match line.split_once("- ") {
                    Some((indent, _)) => format!("{indent}- {value}"),
                    None => continue,
                },
            };
            let mut text = lines.clone();
            text[index] = &changed;
            survives(&text.join("\n"), &format!("line {}: {changed}", index + 1));
        }
    }
}

#[test]
fn any_key_may_be_another() {
    let lines: Vec<_> = SMALL.lines().collect();
    for (index, line) in lines.iter().enumerate() {
        for name in ["$ref", "self", "9lives", "Öl", "x-area", "\"\"", "a b", "type"] {
            let Some((key, value)) = line.split_once(':') else {
                continue;
            };
            let indent = &key[..key.len() - key.trim_start_matches([' ', '-']).len()];
            let changed = format!("{indent}{name}:{value}");
            let mut text = lines.clone();
            text[index] = &changed;
            survives(&text.join("\n"), &format!("line {}: {changed}", index + 1));
        }
    }
}

#[test]
fn the_document_may_end_anywhere() {
    for (end, _) in SMALL.char_indices().step_by(7) {
        survives(&SMALL[..end], &format!("the first {end} bytes"));
    }
}
