//! Input of the generator: a root, a way to read the files beside it, overlays, and a profile.

/// A document: its root, and the files that it refers to.
///
/// ```
/// use wearlab_codegen::Input;
///
/// let text = "openapi: 3.1.1\npaths:\n  /pets: { $ref: pets.yaml }\n";
/// let read = |name: &str| Err(format!("there is no {name}"));
/// let error = Input::new("openapi.yaml", text).with_files(&read).check().expect_err("a missing file");
/// assert!(error.to_string().contains("cannot read `pets.yaml`: there is no pets.yaml"), "{error}");
/// ```
#[derive(Clone, Copy)]
pub struct Input<'a> {
    pub(crate) file: &'a str,
    pub(crate) text: &'a str,
    pub(crate) files: Option<ReadFile<'a>>,
    pub(crate) overlays: &'a [(&'a str, &'a str)],
    pub(crate) profile: Profile,
    pub(crate) prefix: &'a str,
}

/// Reads a file by its path relative to the directory of the root, without `..`. An error is the reason, for a message.
pub type ReadFile<'a> = &'a dyn Fn(&str) -> Result<String, String>;

/// Profile by which documents are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Unsupported parts are errors.
    #[default]
    Strict,
    /// Unsupported parts are degraded or left out, with a note; missing names are derived. For third-party documents.
    Tolerant,
}

impl Profile {
    pub(crate) fn is_strict(self) -> bool {
        self == Self::Strict
    }
}

impl<'a> Input<'a> {
    /// A document of one file: `file` is its name in messages, `text` its content.
    pub fn new(file: &'a str, text: &'a str) -> Self {
        Self {
            file,
            text,
            files: None,
            overlays: &[],
            profile: Profile::Strict,
            prefix: "WEARLAB",
        }
    }

    /// Allows references to files beside the root.
    pub fn with_files(self, files: ReadFile<'a>) -> Self {
        Self {
            files: Some(files),
            ..self
        }
    }

    /// Adds changes to the document (OpenAPI Overlay 1.0), in their order: the name of each file in messages, and its content.
    ///
    /// ```
    /// use wearlab_codegen::Input;
    ///
    /// let overlay = "overlay: 1.0.0\nactions:\n  - target: $.info\n    update: { title: Pets }\n";
    /// let input = Input::new("openapi.yaml", "info: { title: API }\n");
    /// let value = input.with_overlays(&[("overlay.yaml", overlay)]).parse().expect("a document");
    /// assert_eq!(value["info"]["title"], "Pets");
    /// ```
    pub fn with_overlays(self, overlays: &'a [(&'a str, &'a str)]) -> Self {
        Self { overlays, ..self }
    }

    /// Sets the prefix of the environment variables of generated clients and command lines.
    pub fn with_prefix(self, prefix: &'a str) -> Self {
        Self { prefix, ..self }
    }

    /// Selects the profile.
    pub fn with_profile(self, profile: Profile) -> Self {
        Self { profile, ..self }
    }
}

impl<'a, T: AsRef<str> + ?Sized> From<(&'a str, &'a T)> for Input<'a> {
    fn from((file, text): (&'a str, &'a T)) -> Self {
        Self::new(file, text.as_ref())
    }
}
