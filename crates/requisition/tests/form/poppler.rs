//! Runs poppler-utils of Debian, which read a form and draw it.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use wearlab_requisition::Requisition;

/// File of a form, for programs.
pub(crate) struct File {
    directory: TempDir,
    path: PathBuf,
}

impl File {
    pub(crate) fn of(requisition: &Requisition) -> Self {
        let directory = TempDir::new().expect("a directory");
        let path = directory.path().join("form.pdf");
        std::fs::write(&path, requisition.to_pdf().expect("a form")).expect("a file");
        Self { directory, path }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the text of the form: by layout (`-layout`), or as the arguments request.
    pub(crate) fn text(&self, arguments: &[&str]) -> String {
        run(Command::new("pdftotext").args(arguments).arg(&self.path).arg("-"))
    }

    /// Draws each page in shades of grey, with so many pixels per inch: `png`, or `pgm`.
    pub(crate) fn pictures(&self, resolution: u32, extension: &str) -> Vec<PathBuf> {
        let prefix = format!("{resolution}-{extension}");
        let mut command = Command::new("pdftoppm");
        command.args(["-gray", "-r", &resolution.to_string()]);
        if extension == "png" {
            command.arg("-png");
        }
        run(command.arg(&self.path).arg(self.directory.path().join(&prefix)));
        let files = std::fs::read_dir(self.directory.path()).expect("the directory");
        let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
        let is_one = |file: &PathBuf| {
            file.file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with(&prefix))
        };
        files.retain(is_one);
        files.sort();
        files
    }
}

/// Returns the output of a program that must succeed.
pub(crate) fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("UTF-8")
}
