//! Code samples: one call of an operation in each language, with the required parameters alone.
//!
//! URL and keys come from the environment variables of the client and the command line, so that no sample contains a
//! key.

mod call;
mod curl;
mod python;
mod rust;
#[cfg(test)]
mod tests;
mod typescript;

pub(super) use self::call::Call;

/// Language, with the function that writes its sample.
pub(super) struct Language {
    /// Display name.
    pub(super) name: &'static str,
    /// Name in identifiers.
    pub(super) id: &'static str,
    pub(super) write: fn(&Call<'_>) -> String,
}

/// All languages.
pub(super) const LANGUAGES: [Language; 4] = [
    Language {
        name: "curl",
        id: "curl",
        write: curl::write,
    },
    Language {
        name: "Rust",
        id: "rust",
        write: rust::write,
    },
    Language {
        name: "Python",
        id: "python",
        write: python::write,
    },
    Language {
        name: "TypeScript",
        id: "typescript",
        write: typescript::write,
    },
];
