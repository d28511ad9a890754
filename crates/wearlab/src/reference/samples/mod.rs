//! Code samples: one call of an operation in each language, with what it requires and nothing else.
//!
//! URL and keys come from the variables that the client and the command line read, so that no sample has a key in it.

mod call;
mod curl;
mod python;
mod rust;
#[cfg(test)]
mod tests;
mod typescript;

pub(super) use self::call::Call;

/// A language, with what makes its sample.
pub(super) struct Language {
    /// What it is called.
    pub(super) name: &'static str,
    /// What it is called in identifiers.
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
