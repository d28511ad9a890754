//! Import cycles: no file imports one that imports it, directly or through others.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Keywords before the name of a definition.
const KEYWORDS: [&str; 9] = [
    "fn",
    "struct",
    "enum",
    "trait",
    "const",
    "static",
    "type",
    "union",
    "macro_rules",
];

/// Segments of a path. For a file, those of its module.
type Names = Vec<String>;

/// Imports of each file: the files, with the imported names.
type Arrows = BTreeMap<Names, BTreeMap<Names, BTreeSet<String>>>;

/// Source file of a crate.
struct File {
    path: PathBuf,
    imports: Vec<Import>,
    /// Paths and words in its code.
    paths: BTreeSet<Names>,
    definitions: BTreeSet<String>,
}

/// Name that a `use` declaration brings into a file. `*` for a whole module.
struct Import {
    name: String,
    path: Names,
}

impl File {
    fn read(path: PathBuf) -> Self {
        let code = fs::read_to_string(&path).expect("a text");
        Self::parse(path, &code)
    }

    fn parse(path: PathBuf, code: &str) -> Self {
        let mut file = Self {
            path,
            imports: Vec::new(),
            paths: BTreeSet::new(),
            definitions: BTreeSet::new(),
        };
        file.scan(code.parse().expect("Rust"));
        file
    }

    fn scan(&mut self, code: TokenStream) {
        let tokens: Vec<TokenTree> = code.into_iter().collect();
        let mut rest = &tokens[..];
        let mut is_name = false;
        while let Some((first, after)) = rest.split_first() {
            rest = after;
            match first {
                TokenTree::Punct(mark) if mark.as_char() == '#' && is_test(after) => rest = after_item(after),
                TokenTree::Ident(word) if word == "use" => {
                    let end = after.iter().position(|token| is(token, ';')).unwrap_or(after.len());
                    self.import(&after[..end], &mut Vec::new());
                    rest = &after[end..];
                }
                // Quoted code is generated, and not code of the generator.
                TokenTree::Ident(word) if word == "quote" && after.first().is_some_and(|next| is(next, '!')) => {
                    rest = &after[2..];
                }
                TokenTree::Ident(word) => {
                    let mut path = vec![word.to_string()];
                    while let [colon, other, TokenTree::Ident(next), end @ ..] = rest
                        && is(colon, ':')
                        && is(other, ':')
                    {
                        path.push(next.to_string());
                        rest = end;
                    }
                    if let Some(TokenTree::Ident(name)) = rest.first()
                        && KEYWORDS.contains(&&*path[0])
                    {
                        self.definitions.insert(name.to_string());
                    }
                    if !is_name {
                        self.paths.insert(path.clone());
                    }
                    is_name = ["fn", "let", "mod"].contains(&&*path[0]) || is_name && path[0] == "mut";
                    continue;
                }
                TokenTree::Group(group) => self.scan(group.stream()),
                _ => {}
            }
            is_name = is(first, '.');
        }
    }

    /// Parses a tree of `use`, below a path.
    fn import(&mut self, tree: &[TokenTree], below: &mut Names) {
        let depth = below.len();
        let mut tree = tree.iter();
        while let Some(token) = tree.next() {
            match token {
                TokenTree::Ident(word) if word == "as" => {
                    let name = tree.next().map(ToString::to_string).unwrap_or_default();
                    self.imports.push(Import {
                        name,
                        path: below.clone(),
                    });
                    below.truncate(depth);
                }
                TokenTree::Ident(word) => below.push(word.to_string()),
                TokenTree::Punct(mark) if mark.as_char() == '*' => below.push("*".to_owned()),
                TokenTree::Group(group) => {
                    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                    for branch in inner.split(|token| is(token, ',')) {
                        self.import(branch, below);
                    }
                    below.truncate(depth);
                }
                _ => {}
            }
        }
        if below.len() > depth {
            let mut path = below.clone();
            if path.last().is_some_and(|last| last == "self") {
                path.pop();
            }
            let name = path.last().cloned().unwrap_or_default();
            self.imports.push(Import { name, path });
            below.truncate(depth);
        }
    }
}

fn is(token: &TokenTree, mark: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == mark)
}

/// Returns whether an attribute is `[cfg(test)]`.
fn is_test(attribute: &[TokenTree]) -> bool {
    matches!(attribute.first(), Some(TokenTree::Group(group)) if group.to_string().replace(' ', "") == "[cfg(test)]")
}

/// Returns the tokens after an item, which ends with braces or a semicolon.
fn after_item(tokens: &[TokenTree]) -> &[TokenTree] {
    let end = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        token => is(token, ';'),
    };
    let end = tokens.iter().position(end).unwrap_or(tokens.len() - 1);
    &tokens[end + 1..]
}

/// Files of a crate, by module.
struct Crate(BTreeMap<Names, File>);

impl Crate {
    fn read(source: &Path) -> Self {
        let mut files = BTreeMap::new();
        Self::walk(source, &Vec::new(), &mut files);
        Self(files)
    }

    fn walk(directory: &Path, module: &Names, files: &mut BTreeMap<Names, File>) {
        for entry in fs::read_dir(directory).expect("a directory") {
            let path = entry.expect("an entry").path();
            let name = path
                .file_stem()
                .and_then(|name| name.to_str())
                .expect("a name")
                .to_owned();
            let below = [&module[..], std::slice::from_ref(&name)].concat();
            if ["generated", "tests", "bin"].contains(&&*name) {
                continue;
            } else if path.is_dir() {
                Self::walk(&path, &below, files);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let module = match &*name {
                    "lib" | "main" | "mod" => module.clone(),
                    _ => below,
                };
                files.insert(module, File::read(path));
            }
        }
    }

    /// Resolves a path in a module to one from the root of the crate. None for another crate.
    fn absolute(&self, module: &Names, path: &[String]) -> Option<Names> {
        let mut base = match &*path[0] {
            "crate" => Vec::new(),
            "self" | "super" => module.clone(),
            first => {
                let child = [&module[..], &[first.to_owned()]].concat();
                return self.0.contains_key(&child).then(|| [&module[..], path].concat());
            }
        };
        let is_step = |name: &&String| ["crate", "self", "super"].contains(&&***name);
        let (steps, rest) = path.split_at(path.iter().take_while(is_step).count());
        let up = steps.iter().filter(|step| *step == "super").count();
        base.truncate(base.len().saturating_sub(up));
        base.extend_from_slice(rest);
        Some(base)
    }

    /// Returns the module that defines an item, through re-exports, with the name of the item there.
    fn definition(&self, path: &[String], steps: usize) -> Option<(Names, String)> {
        let length = (0..=path.len())
            .rev()
            .find(|length| self.0.contains_key(&path[..*length]))?;
        let (module, rest) = path.split_at(length);
        let module = module.to_vec();
        let (name, after) = rest.split_first()?;
        let imports = &self.0[&module].imports;
        let handed = imports.iter().find(|import| import.name == *name);
        if let Some(import) = handed.filter(|_| steps > 0) {
            let path = [&self.absolute(&module, &import.path)?[..], after].concat();
            return self.definition(&path, steps - 1);
        }
        let defined = self.0[&module].definitions.contains(name);
        defined.then(|| (module, name.clone()))
    }

    /// Returns the files that a file imports, with the imported names.
    fn arrows(&self, module: &Names) -> BTreeMap<Names, BTreeSet<String>> {
        let file = &self.0[module];
        let mut arrows = BTreeMap::<_, BTreeSet<_>>::new();
        let paths = file
            .paths
            .iter()
            .map(|path| match file.imports.iter().find(|import| import.name == path[0]) {
                Some(import) => [&import.path[..], &path[1..]].concat(),
                None => path.clone(),
            });
        for path in paths {
            let Some(path) = self.absolute(module, &path) else {
                continue;
            };
            if let Some((to, name)) = self.definition(&path, 8)
                && to != *module
            {
                arrows.entry(to).or_default().insert(name);
            }
        }
        arrows
    }

    /// Returns the imports within cycles, with the imported names.
    fn circles<'c>(&'c self, arrows: &'c Arrows) -> Vec<(&'c Path, &'c Path, &'c BTreeSet<String>)> {
        let reached: BTreeMap<_, _> = arrows.keys().map(|module| (module, reached(module, arrows))).collect();
        let file = |module: &Names| &*self.0[module].path;
        let mut found = Vec::new();
        for (from, ends) in arrows {
            let back = ends.iter().filter(|(to, _)| reached[to].contains(from));
            found.extend(back.map(|(to, names)| (file(from), file(to), names)));
        }
        found
    }
}

/// Returns the files that a file imports, directly or through others.
fn reached<'c>(from: &'c Names, arrows: &'c Arrows) -> BTreeSet<&'c Names> {
    let (mut reached, mut next) = (BTreeSet::new(), vec![from]);
    while let Some(module) = next.pop() {
        next.extend(arrows[module].keys().filter(|to| reached.insert(*to)));
    }
    reached
}

#[test]
fn no_file_imports_one_that_imports_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let crates = fs::read_dir(root.join("crates")).expect("a directory");
    let sources = crates.map(|entry| entry.expect("an entry").path().join("src"));
    let (mut count, mut found) = (0, Vec::new());
    for source in sources.chain([root.join("xtask/src")]) {
        let files = Crate::read(&source);
        let arrows: Arrows = files
            .0
            .keys()
            .map(|module| (module.clone(), files.arrows(module)))
            .collect();
        count += arrows.values().map(BTreeMap::len).sum::<usize>();
        for (from, to, names) in files.circles(&arrows) {
            let shown = |path: &Path| path.strip_prefix(&root).unwrap_or(path).display().to_string();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            found.push(format!(
                "{} takes from {}: {}",
                shown(from),
                shown(to),
                names.join(", ")
            ));
        }
    }
    assert!(count > 2000, "only {count} imports were found");
    assert!(
        found.is_empty(),
        "files import each other; move what both use into one that both import:\n{}",
        found.join("\n")
    );
}

#[test]
fn imports_and_paths_are_read() {
    let code = "use crate::a::{self, B as C, d::{E, *}};
        pub(crate) use f::G;
        #[cfg(test)]
        mod tests { use crate::test::H; }
        mod i;
        fn j() { let k = l::M::n(o); quote!(crate::p::Q); k.r() }";
    let file = File::parse(PathBuf::new(), code);
    let imports = file
        .imports
        .iter()
        .map(|import| (&*import.name, import.path.join("::")));
    let expected = [
        ("a", "crate::a"),
        ("C", "crate::a::B"),
        ("E", "crate::a::d::E"),
        ("*", "crate::a::d::*"),
        ("G", "f::G"),
    ];
    assert!(imports.eq(expected.map(|(name, path)| (name, path.to_owned()))));
    let paths: Vec<_> = file.paths.iter().map(|path| path.join("::")).collect();
    assert_eq!(paths, ["crate", "fn", "k", "l::M::n", "let", "mod", "o", "pub"]);
    assert_eq!(file.definitions, BTreeSet::from(["j".to_owned()]));
}
