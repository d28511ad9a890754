//! A document of several files as one text, so that tests can edit it: each file but the root begins with a line `#### NAME`.

use std::fs;
use std::path::Path;

use wearlab_codegen::Input;

const MARK: &str = "#### ";

/// All files of the document in the directory `spec` of `root`: the project's own, if that is the workspace.
pub(crate) fn text(root: &str) -> String {
    let directory = Path::new(root).join("spec");
    let entries = fs::read_dir(&directory).expect("the files are listed");
    let mut names: Vec<_> = entries
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("a name in UTF-8")
        })
        .filter(|name| name.ends_with(".yaml") && !["openapi.yaml", "redocly.yaml"].contains(&name.as_str()))
        .collect();
    names.sort();
    let read = |name: &str| fs::read_to_string(directory.join(name)).expect("a file is read");
    let mut text = read("openapi.yaml");
    for name in names {
        text.push_str(&format!("{MARK}{name}\n{}", read(&name)));
    }
    text
}

/// Calls `run` with the files of a text. One without marks is a document of one file.
pub(crate) fn with<T>(name: &str, text: &str, run: impl FnOnce(Input<'_>) -> T) -> T {
    let mut files = vec![(name, String::new())];
    for line in text.split_inclusive('\n') {
        match line.strip_prefix(MARK) {
            Some(name) => files.push((name.trim_end(), String::new())),
            None => files.last_mut().expect("the root").1.push_str(line),
        }
    }
    let read = |wanted: &str| {
        let found = files.iter().skip(1).find(|(name, _)| *name == wanted);
        found
            .map(|(_, text)| text.clone())
            .ok_or_else(|| "there is no such file".to_owned())
    };
    run(Input::new(name, &files[0].1).with_files(&read))
}
