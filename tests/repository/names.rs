//! Tests that files, functions and types in pages for maintainers exist.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// Pages about the code as a whole, whose names of items are checked, too.
const PAGES: [(&str, &str); 2] = [
    ("ARCHITECTURE.md", include_str!("../../ARCHITECTURE.md")),
    ("CONTRIBUTING.md", include_str!("../../CONTRIBUTING.md")),
];

/// Pages with words of documents and protocols, of which only the names of files are checked.
const READMES: [(&str, &str); 4] = [
    (
        "crates/codegen/README.md",
        include_str!("../../crates/codegen/README.md"),
    ),
    (
        "crates/delivery/README.md",
        include_str!("../../crates/delivery/README.md"),
    ),
    ("crates/ingest/README.md", include_str!("../../crates/ingest/README.md")),
    ("crates/store/README.md", include_str!("../../crates/store/README.md")),
];

/// Words in backticks that are neither files of the repository nor items of its Rust code.
const OTHER_WORDS: [&str; 16] = [
    // Types and other words of SQL.
    "INTEGER",
    "bigint",
    "BLOB",
    "bytea",
    "STRICT",
    // Keywords, traits and methods of other crates and standards.
    "mod",
    "cfg",
    "unsafe",
    "Debug",
    "GET",
    "axum",
    // Crates and packages.
    "xtask",
    "fhir",
    "web",
    "postgresql",
    // A pointer into the document.
    "components/headers",
];

/// Extensions of file names that pages mention without their directory.
const EXTENSIONS: [&str; 7] = ["md", "rs", "snap", "sql", "toml", "yaml", "pdf"];

/// Repository: paths of its files and directories, and the definitions in its Rust code.
#[derive(Default)]
struct Repository {
    paths: BTreeSet<String>,
    items: BTreeSet<String>,
}

impl Repository {
    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
    }

    fn read() -> Self {
        let mut found = Self::default();
        found.walk(&Self::root(), Path::new(""));
        found
    }

    fn walk(&mut self, root: &Path, below: &Path) {
        for entry in fs::read_dir(root.join(below)).expect("a directory") {
            let entry = entry.expect("an entry");
            let name = entry.file_name();
            if ["target", "node_modules", ".git"].iter().any(|other| name == *other) {
                continue;
            }
            let path = below.join(&name);
            if entry.file_type().expect("a type").is_dir() {
                self.walk(root, &path);
            } else if path.extension() == Some(OsStr::new("rs")) {
                let code = fs::read_to_string(root.join(&path)).expect("a text");
                self.items
                    .extend(code.lines().filter_map(definition).map(str::to_owned));
            }
            self.paths.insert(path.to_str().expect("a name in UTF-8").to_owned());
        }
    }

    /// Returns the files and directories with this path, or with one that ends with it.
    fn paths(&self, path: &str) -> Vec<&str> {
        let end = format!("/{path}");
        let paths = self.paths.iter().map(String::as_str);
        paths.filter(|known| *known == path || known.ends_with(&end)).collect()
    }
}

/// Returns the name of the item that a line defines.
fn definition(line: &str) -> Option<&str> {
    const KEYWORDS: [&str; 9] = [
        "fn",
        "struct",
        "enum",
        "trait",
        "const",
        "static",
        "mod",
        "type",
        "macro_rules!",
    ];
    const BEFORE: [&str; 6] = ["pub", "pub(crate)", "pub(super)", "async", "unsafe", "default"];
    let mut words = line.split_whitespace().skip_while(|word| BEFORE.contains(word));
    let keyword = words.next().filter(|word| KEYWORDS.contains(word))?;
    let name = match words.next() {
        // `const fn`
        Some("fn") if keyword == "const" => words.next(),
        name => name,
    };
    name?.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

/// Returns whether a file contains a word.
fn mentions(file: &str, word: &str) -> bool {
    let code = fs::read_to_string(Repository::root().join(file)).expect("a text");
    code.split(|c: char| !c.is_alphanumeric() && c != '_')
        .any(|other| other == word)
}

/// Expands a path with alternatives in braces: `{a,b}.rs`.
fn expanded(text: &str) -> Vec<String> {
    match text.split_once('{').zip(text.split_once('}')) {
        Some(((before, rest), (_, after))) => {
            let alternatives = rest.split('}').next().unwrap_or_default().split(',');
            alternatives.map(|one| format!("{before}{one}{after}")).collect()
        }
        None => vec![text.to_owned()],
    }
}

/// Kind of a text in backticks.
enum Mention {
    Path(String),
    Item(String),
    Other,
}

fn named(text: &str) -> Mention {
    let is_code = |c: char| c.is_whitespace() || "$=\"<>[]#!".contains(c);
    if text.contains(is_code) || text.starts_with('/') || OTHER_WORDS.contains(&text) {
        return Mention::Other;
    }
    let extension = text.rsplit_once('.').map(|(_, extension)| extension);
    // Placeholders are replaced with existing names of the same kind.
    let filled = text.replace("KIND", "rabbitmq");
    if text.contains('/') || extension.is_some_and(|extension| EXTENSIONS.contains(&extension)) {
        return Mention::Path(filled.trim_end_matches('/').to_owned());
    }
    // `a::b`, `Type::method`, `value.method`, and plain names. Words with hyphens are packages, headers and options.
    let name = text.rsplit("::").next().unwrap_or(text);
    let name = name.rsplit('.').next().unwrap_or(name).trim_end_matches("()");
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let is_variable = name.starts_with("WEARLAB_");
    match !name.is_empty() && name.chars().all(is_word) && !is_variable && !text.contains('{') {
        true => Mention::Item(name.to_owned()),
        false => Mention::Other,
    }
}

/// Returns the texts in backticks outside of code blocks, with their line number and the text up to the next.
fn quoted(page: &str) -> Vec<(usize, &str, &str)> {
    let (mut found, mut code, mut line) = (Vec::new(), false, 1);
    let mut rest = page;
    while let Some(start) = rest.find('`') {
        let line_start = rest[..start].rfind('\n').map_or(0, |end| end + 1);
        line += rest[..start].matches('\n').count();
        if rest[start..].starts_with("```") && rest[line_start..start].trim().is_empty() {
            code = !code;
            rest = &rest[start + 3..];
            continue;
        }
        let Some(length) = rest[start + 1..].find('`') else {
            break;
        };
        let text = &rest[start + 1..=start + length];
        rest = &rest[start + length + 2..];
        line += text.matches('\n').count();
        if !code {
            let between = &rest[..rest.find('`').unwrap_or(rest.len())];
            found.push((line, text, between));
        }
    }
    found
}

#[test]
fn every_file_and_item_that_a_page_names_exists() {
    let repository = Repository::read();
    let (mut count, mut wrong) = (0, Vec::new());
    for (page, text) in PAGES {
        let quoted = quoted(text);
        for (index, (line, text, between)) in quoted.iter().enumerate() {
            match named(text) {
                Mention::Path(path) => {
                    let mut paths = expanded(&path).into_iter();
                    if let Some(missing) = paths.find(|path| repository.paths(path).is_empty()) {
                        wrong.push(format!("{page}:{line}: there is no file {missing}"));
                    }
                }
                Mention::Item(name) => {
                    // "`item` in `file`" is the location of the item.
                    let next = quoted.get(index + 1).map(|(_, next, _)| *next);
                    let file = next.filter(|next| ["in", "of"].contains(&between.trim()) && next.ends_with(".rs"));
                    let exists = match file.map(|file| repository.paths(file)) {
                        Some(files) => files.iter().any(|file| mentions(file, &name)),
                        None => repository.items.contains(&name),
                    };
                    if !exists {
                        let place = file.unwrap_or("the repository");
                        wrong.push(format!("{page}:{line}: there is no {name} in {place}"));
                    }
                }
                Mention::Other => continue,
            }
            count += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 200, "only {count} names were found");
}

#[test]
fn every_file_that_a_readme_names_exists() {
    let repository = Repository::read();
    let (mut count, mut wrong) = (0, Vec::new());
    for (page, text) in READMES {
        for (line, text, _) in quoted(text) {
            let extension = text.rsplit_once('.').map(|(_, extension)| extension);
            let Mention::Path(path) = named(text) else { continue };
            if !extension.is_some_and(|extension| EXTENSIONS.contains(&extension)) {
                continue;
            }
            count += 1;
            let missing = expanded(&path)
                .into_iter()
                .find(|path| repository.paths(path).is_empty());
            wrong.extend(missing.map(|missing| format!("{page}:{line}: there is no file {missing}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 90, "only {count} names were found");
}

#[test]
fn a_definition_is_of_the_whole_name() {
    for line in [
        "fn read(",
        "    pub(crate) async fn read<T>(",
        "pub const fn read()",
        "pub const read: u8 = 1;",
        "mod read;",
        "struct read(u8);",
    ] {
        assert_eq!(definition(line), Some("read"), "{line}");
    }
    for line in ["let read = 1;", "/// fn read(", "read fn", "// mod read"] {
        assert_eq!(definition(line), None, "{line}");
    }
    assert_eq!(definition("fn read_all("), Some("read_all"));
}
