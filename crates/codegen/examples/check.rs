//! Checks any OpenAPI document, without generating: `cargo run -p wearlab-codegen --example check -- FILE`.
//!
//! Exits with 0 without diagnostics, 1 with some, 2 if the file cannot be read.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use wearlab_codegen::{Diagnostic, Diagnostics, Input, Profile};

const USAGE: &str = "usage: check [--summary] [--tolerant] FILE
  FILE        an OpenAPI document, YAML or JSON, in UTF-8; it may refer to files beside it
  --summary   also count the diagnostics by code
  --tolerant  with the profile for third-party documents: its notes";

fn main() -> ExitCode {
    let (options, files): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|word| word.starts_with('-'));
    let [summary, tolerant] = ["--summary", "--tolerant"].map(|name| options.iter().any(|option| option == name));
    let [file] = files.as_slice() else {
        return nothing(USAGE);
    };
    if options.len() != usize::from(summary) + usize::from(tolerant) {
        return nothing(USAGE);
    }
    let bytes = match std::fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) => return nothing(&format!("{file}: {error}")),
    };
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => return nothing(&not_text(file, error.as_bytes(), error.utf8_error().valid_up_to())),
    };
    let directory = Path::new(file).parent().unwrap_or(Path::new(""));
    let read = |name: &str| std::fs::read_to_string(directory.join(name)).map_err(|error| error.to_string());
    let profile = if tolerant { Profile::Tolerant } else { Profile::Strict };
    match Input::new(file, &text).with_files(&read).with_profile(profile).check() {
        Ok(notes) => {
            eprintln!("{file}: no errors");
            if !notes.list().is_empty() {
                eprintln!("{notes}");
            }
            if summary {
                eprint!("{}", by_kind(&notes));
            }
            ExitCode::SUCCESS
        }
        Err(rejections) => {
            eprintln!("{rejections}");
            if summary {
                eprint!("{}", by_kind(&rejections));
            }
            ExitCode::FAILURE
        }
    }
}

fn nothing(message: &str) -> ExitCode {
    eprintln!("{message}");
    ExitCode::from(2)
}

fn not_text(file: &str, bytes: &[u8], valid: usize) -> String {
    let before = String::from_utf8_lossy(&bytes[..valid]);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    let what = match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "this is UTF-16",
        _ => "this is not UTF-8",
    };
    format!("{file}:{line}:{column}: {what}: save the document as UTF-8")
}

/// The number of rejections of each kind, most first, each kind with the first of them.
fn by_kind(rejections: &Diagnostics) -> String {
    let mut kinds: BTreeMap<&str, (usize, &Diagnostic)> = BTreeMap::new();
    for rejection in rejections.list() {
        kinds.entry(rejection.code.as_str()).or_insert((0, rejection)).0 += 1;
    }
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_by_key(|(_, (count, first))| (Reverse(*count), first.span.start));
    kinds
        .into_iter()
        .map(|(code, (count, first))| {
            let (line, column) = rejections.line_column(first.span.start);
            format!("{count:>8}  {code}, like {line}:{column}: {}\n", first.message)
        })
        .collect()
}
