//! Compares the impacts of the table with the Rust of both documents.

use std::collections::HashMap;
use std::rc::Rc;

use wearlab_codegen::{Change, Impact, generate};

use super::{COMPARISONS, Compared};

/// Each file's path and lines.
type Code = Vec<(String, Vec<String>)>;

/// Documentation in the command line's code, which elsewhere is in comments.
const WORDS: [&str; 3] = ["about: \"", "details: \"", "help: \""];

/// The generated Rust without its comments.
pub(crate) fn code(text: &str) -> Option<Code> {
    let files = generate("document.yaml", text).ok()?.files;
    let code = |text: &str| {
        let said = |line: &&str| line.starts_with("//") || WORDS.iter().any(|word| line.starts_with(word));
        let lines = text.lines().map(str::trim).filter(|line| !said(line));
        lines.map(str::to_owned).collect()
    };
    // The MCP server has words and schemas of the document as data.
    let is_code = |path: &str| path.ends_with(".rs") && !path.starts_with("crates/mcp/");
    let rust = files.into_iter().filter(|file| is_code(&file.path));
    Some(rust.map(|file| (file.path, code(&file.text))).collect())
}

/// Public items of the old code in `directory` that the new code lacks.
fn lost(directory: &str, old: &Code, new: &Code) -> Vec<String> {
    let here = |path: &String| path.starts_with(&format!("crates/{directory}/")) && !path.ends_with("mod.rs");
    let mut lost = Vec::new();
    for (path, lines) in old.iter().filter(|(path, _)| here(path)) {
        let left = new
            .iter()
            .find(|(other, _)| other == path)
            .map(|(_, lines)| lines.as_slice());
        let public = lines
            .iter()
            .filter(|line| line.starts_with("pub ") || line.starts_with("V: "));
        // The list of all constants has their number.
        let public = public.filter(|line| !line.starts_with("pub const"));
        lost.extend(public.filter(|line| !left.unwrap_or_default().contains(line)).cloned());
    }
    lost
}

/// The server's traits.
fn traits(code: &Code) -> Vec<&String> {
    let mut api = code
        .iter()
        .filter(|(path, _)| path.ends_with("server/src/generated/api.rs"));
    let (_, lines) = api.next().expect("the traits");
    lines.iter().filter(|line| !line.starts_with("#[deprecated")).collect()
}

fn worst(changes: &[Change], side: fn(&Change) -> Impact) -> Impact {
    changes.iter().map(side).max().unwrap_or_default()
}

#[test]
fn a_change_that_breaks_nobody_keeps_the_public_rust() {
    let (mut wrong, mut seen) = (String::new(), 0);
    // Most rows have the document itself on one side, and those that are compared both ways the same pair.
    let mut generated = HashMap::new();
    let mut code = |text: &'static str| {
        let code = generated
            .entry(text)
            .or_insert_with(|| Rc::new(code(text).expect("code")));
        Rc::clone(code)
    };
    for Compared {
        edits,
        old,
        new,
        changes,
        ..
    } in &*COMPARISONS
    {
        let (old, new) = (code(old), code(new));
        let client = worst(changes, |change| change.client);
        seen += usize::from(!lost("models", &old, &new).is_empty());
        let mut gone = Vec::new();
        if client != Impact::Breaking {
            gone.extend(lost("models", &old, &new));
            gone.extend(lost("client", &old, &new));
        }
        if worst(changes, |change| change.server) != Impact::Breaking {
            gone.extend(lost("server", &old, &new));
            if traits(&old) != traits(&new) {
                gone.push("a trait as it was".to_owned());
            }
        }
        if !gone.is_empty() {
            wrong.push_str(&format!("{edits:?}: {gone:?}\n"));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(seen > 10, "only {seen} rows take something from the models");
}
