//! `cargo xtask regenerate [--check]`: writes the generator's files, or compares them with those on disk.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use wearlab_codegen::{GENERATED_DIRECTORIES, GeneratedFile, Input};

use crate::generated_files;
use crate::providers;
use crate::spec::{self, SPEC};

const OVERVIEW: &str = "spec/README.md";
const BEGIN: &str = "<!-- begin generated: assumptions -->\n";
const END: &str = "<!-- end generated: assumptions -->\n";

/// Writes the generated files, or with `check` reports those that are not up to date.
pub(crate) fn run(root: &Path, check: bool) -> Result<()> {
    let (text, read) = (spec::read(root)?, spec::files(root));
    let generated = Input::new(SPEC, &text).with_files(&read).generate()?;
    let mut files = generated.files;
    files.push(overview(root, &generated.assumptions)?);
    let connectors = providers::generate(root)?;
    files.extend(connectors.files);
    let own = connectors.directories.iter().map(String::as_str);
    let directories: Vec<_> = GENERATED_DIRECTORIES.into_iter().chain(own).collect();
    match check {
        true => generated_files::check(root, &directories, files),
        false => generated_files::write(root, &directories, files),
    }
}

/// Returns `spec/README.md` with the table of assumptions in its marked region.
fn overview(root: &Path, table: &str) -> Result<GeneratedFile> {
    let text = fs::read_to_string(root.join(OVERVIEW)).with_context(|| format!("cannot read {OVERVIEW}"))?;
    let region = text
        .split_once(BEGIN)
        .and_then(|(before, rest)| rest.split_once(END).map(|(_, after)| (before, after)));
    let Some((before, after)) = region else {
        bail!(
            "{OVERVIEW} has no region between `{}` and `{}`",
            BEGIN.trim(),
            END.trim()
        );
    };
    Ok(GeneratedFile {
        path: OVERVIEW.to_owned(),
        text: format!("{before}{BEGIN}\n{table}\n{END}{after}"),
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::run;

    const DEVICES: &str = "crates/models/src/generated/devices.rs";

    fn scratch() -> tempfile::TempDir {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        crate::spec::copy_to(scratch.path());
        scratch
    }

    fn edit(file: &Path, from: &str, to: &str) {
        let text = fs::read_to_string(file).expect("a text");
        assert!(text.contains(from), "{from:?} is not in the file");
        fs::write(file, text.replacen(from, to, 1)).expect("an edit");
    }

    #[test]
    fn check_writes_nothing_and_names_what_is_stale() {
        let scratch = scratch();
        let root = scratch.path();
        assert!(run(root, true).is_err(), "nothing is generated yet");
        assert!(!root.join("crates").exists(), "a check writes nothing");

        run(root, false).expect("a first run");
        run(root, true).expect("a second run has nothing to do");

        let (devices, stray) = (root.join(DEVICES), root.join("crates/client/src/generated/stray.rs"));
        edit(&devices, "pub struct Device", "pub struct Gadget");
        fs::write(&stray, "").expect("a stray file");
        let error = run(root, true).expect_err("two files differ");
        assert!(error.to_string().contains("2 generated file(s)"), "{error}");
        assert!(error.to_string().contains("cargo xtask regenerate"), "{error}");
        assert!(stray.exists());

        run(root, false).expect("a run fixes it");
        assert!(!stray.exists(), "a stale file is deleted");
        run(root, true).expect("all is up to date");
    }

    #[test]
    fn only_what_changed_is_written() {
        let scratch = scratch();
        let root = scratch.path();
        run(root, false).expect("a first run");
        let time = |file: &str| {
            fs::metadata(root.join(file))
                .and_then(|data| data.modified())
                .expect("a time")
        };
        let (users, devices) = ("crates/models/src/generated/users.rs", DEVICES);
        let before = (time(users), time(devices));
        let property = "        device_id:\n          type: [string, \"null\"]\n";
        let colour = "        colour:\n          type: string\n          description: The colour.\n";
        edit(
            &root.join("spec/devices.yaml"),
            property,
            &format!("{colour}{property}"),
        );
        run(root, false).expect("a second run");
        assert_eq!(time(users), before.0, "what stays the same is not touched");
        assert_ne!(time(devices), before.1);
        let text = fs::read_to_string(root.join(devices)).expect("a text");
        assert!(text.contains("pub colour: Option<String>"));
    }
}
