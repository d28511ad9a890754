//! Small documents, one for each feature: generated code as a snapshot, and one compilation of all of it,
//! with its documentation.
//!
//! The first line of a document selects the parts of its snapshot. `INSTA_UPDATE=always cargo test -p wearlab-codegen
//! features::` updates the snapshots.

use std::panic::catch_unwind;

use crate::documents::{directory, names, text};
use crate::{documents, scratch};
use wearlab_codegen::{Generated, generate};

/// A document that shows one feature.
struct Feature {
    name: String,
    text: String,
}

fn features() -> Vec<Feature> {
    let read = |name: String| Feature {
        text: text(&name),
        name,
    };
    names(&directory(), "yaml").into_iter().map(read).collect()
}

impl Feature {
    fn generated(&self) -> Generated {
        generate(&format!("{}.yaml", self.name), &self.text).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Generated code, as far as its first line selects it.
    fn shown(&self) -> String {
        let generated = self.generated();
        let first = self.text.lines().next().unwrap_or_default();
        let shown = first
            .strip_prefix("# Shows: ")
            .expect("the first line says what is shown");
        let part = |name: &str| {
            if name == "assumptions" {
                return generated.assumptions.clone();
            }
            let (member, file) = name.split_once('/').expect("a crate and a file of it");
            let path = format!("crates/{member}/src/generated/{file}");
            let file = generated.files.iter().find(|file| file.path == path);
            let text = &file.unwrap_or_else(|| panic!("no {path}")).text;
            let text = match path.ends_with(".json") {
                true => text,
                false => text.split_once("\n\n").expect("a mark").1,
            };
            format!("==> {path}\n\n{text}")
        };
        shown.split(' ').map(part).collect::<Vec<_>>().join("\n")
    }
}

#[test]
fn each_feature_is_supported() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(directory().join("snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let changed: Vec<_> = features()
        .into_iter()
        .filter(|feature| {
            let check = || settings.bind(|| insta::assert_snapshot!(feature.name.as_str(), feature.shown()));
            catch_unwind(std::panic::AssertUnwindSafe(check)).is_err()
        })
        .map(|feature| feature.name)
        .collect();
    assert!(changed.is_empty(), "changed: {}", changed.join(", "));
}

#[test]
fn no_snapshot_is_left_over() {
    assert_eq!(
        names(&directory().join("snapshots"), "snap"),
        names(&directory(), "yaml")
    );
}

#[test]
#[ignore = "compiles a workspace; CI runs it"]
fn all_compile_together() {
    let scratch = scratch::Scratch::new("features", &documents::all().to_string());
    let features = ["--features", "wearlab-models/builder,wearlab-models/schemars"];
    scratch.cargo(&[&["check"], &features[..]].concat());
    scratch.cargo(&[&["doc", "--no-deps"], &features[..]].concat());
}
