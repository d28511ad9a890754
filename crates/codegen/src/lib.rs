//! Compiles Wearlab's OpenAPI document into the models, client, server, command line, MCP server and mock crates.
//!
//! Pure: text in, files out; the caller reads the files that the root refers to ([`Input`]). The passes, in order:
//!
//! 1. `source`: YAML of all files to one JSON value, with the location of each part
//! 2. `normalise`: one form for equivalent constructs
//! 3. `check`: the syntax of the document; unsupported constructs are rejected, or left out (`tolerate`)
//! 4. `document`: typed data, which all emitters read
//! 5. `lower`: OpenAPI 3.0.3 for progenitor; `bundle`, `asyncapi`: the served documents
//! 6. `models`, `client`, `server`, `cli`, `mcp`, `mock`, `overview`: one emitter per target
//! 7. `output`: items to formatted files

mod asyncapi;
mod bundle;
mod check;
mod cli;
mod client;
mod coverage;
mod credential;
mod debug;
mod diagnostic;
mod diff;
mod document;
mod error;
mod excerpt;
mod files;
mod formats;
mod identifier;
mod imports;
mod input;
mod lower;
mod mcp;
mod mock;
mod models;
mod multipart;
mod normalise;
mod output;
mod overview;
mod plain;
mod read;
mod responses;
mod rust;
mod rustdoc;
mod server;
mod short_paths;
mod source;
mod suggest;
mod tolerate;
mod wrap;

pub use coverage::{Coverage, Measure, Share};
pub use diagnostic::{Code, Diagnostic, Diagnostics};
pub use diff::{Bump, Change, Impact, Kind, diff};
pub use error::Error;
pub use input::{Input, Profile, ReadFile};
pub use output::{GENERATED_DIRECTORIES, GeneratedFile};

use document::Document;
use serde_json::Value;
use source::Source;

/// The output of the generator.
#[derive(Debug)]
pub struct Generated {
    /// The files, with paths relative to the workspace, sorted.
    pub files: Vec<GeneratedFile>,
    /// The table of assumptions, for the marked region of `spec/README.md`.
    pub assumptions: String,
    /// Notes on ignored parts, and on parts that the tolerant profile left out.
    pub notes: Diagnostics,
    /// Share of the document that the tolerant profile supports.
    pub coverage: Option<Coverage>,
    /// The document as the emitters read it: inline schemas have names, and parts that were left out are gone.
    pub document: Value,
}

/// Compiles a document of one file: see [`Input::generate`].
///
/// `file` is its name in messages, `text` its content.
///
/// # Errors
///
/// Every mistake and unsupported construct, with its location.
pub fn generate(file: &str, text: &str) -> Result<Generated, Error> {
    Input::new(file, text).generate()
}

/// Reads a document of one file as a JSON value, unchecked: see [`Input::parse`].
///
/// # Errors
///
/// Invalid YAML, and YAML features that are not allowed in a document.
pub fn parse(file: &str, text: &str) -> Result<Value, Diagnostics> {
    Input::new(file, text).parse()
}

/// Checks a document of one file, of any size and from anyone, without compiling it: see [`Input::check`].
///
/// # Errors
///
/// As for [`generate`].
pub fn check(file: &str, text: &str) -> Result<(), Diagnostics> {
    Input::new(file, text).check().map(drop)
}

impl Input<'_> {
    /// Compiles the document.
    ///
    /// # Errors
    ///
    /// Every mistake and unsupported construct, with its location.
    pub fn generate(&self) -> Result<Generated, Error> {
        let mut source = Source::parse(self)?;
        let Read {
            mut document,
            notes,
            coverage,
        } = self.read(&mut source)?;
        let mut files = models::emit(&document)?;
        files.extend(client::emit(&document)?);
        files.extend(cli::emit(&document)?);
        files.extend(mock::emit(&document)?);
        let bundle = bundle::bundle(&document, &source.value);
        files.extend(mcp::emit(&document, &bundle)?);
        let events = asyncapi::asyncapi(&document, &bundle);
        document.operations.retain(|operation| operation.is_routed);
        files.extend(server::emit(&document, &bundle, events.as_ref())?);
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Generated {
            files,
            assumptions: overview::assumptions(&source),
            notes,
            coverage,
            document: source.value,
        })
    }

    /// Reads the document, and the files that it refers to, as one JSON value with its defaults, unchecked: pass 1.
    ///
    /// # Errors
    ///
    /// Invalid YAML, YAML features that are not allowed in a document, and references to files that cannot be read.
    pub fn parse(&self) -> Result<Value, Diagnostics> {
        let mut source = Source::parse(self)?;
        normalise::write_out(&mut source, self.profile);
        Ok(source.value)
    }

    /// Checks the document without compiling it: passes 1 to 4. Returns the notes: ignored parts, and parts that the
    /// tolerant profile left out.
    ///
    /// # Errors
    ///
    /// As for [`Input::generate`].
    pub fn check(&self) -> Result<Diagnostics, Diagnostics> {
        let mut source = Source::parse(self)?;
        self.read(&mut source).map(|read| read.notes)
    }

    /// Share of the document that the tolerant profile supports.
    ///
    /// # Errors
    ///
    /// If the whole document is unsupported.
    pub fn coverage(&self) -> Result<Coverage, Diagnostics> {
        let mut source = Source::parse(&self.with_profile(Profile::Tolerant))?;
        tolerated(&mut source).map(|tolerated| tolerated.coverage)
    }

    /// Passes 2 to 4, with the mistakes of all.
    fn read(&self, source: &mut Source<'_>) -> Result<Read, Diagnostics> {
        if !self.profile.is_strict() {
            let mut tolerated = tolerated(source)?;
            let notes = tolerated.notes(source);
            tolerated.document.make_lenient();
            return Ok(Read {
                document: tolerated.document,
                notes,
                coverage: Some(tolerated.coverage),
            });
        }
        let (document, notes) = read::strict(source)?;
        Ok(Read {
            document,
            notes: Diagnostics::notes(source.files(), notes),
            coverage: None,
        })
    }
}

/// The result of passes 2 to 4.
struct Read {
    document: Document,
    notes: Diagnostics,
    coverage: Option<Coverage>,
}

/// Passes 2 to 4 in the tolerant profile.
fn tolerated(source: &mut Source<'_>) -> Result<tolerate::Tolerated, Diagnostics> {
    read::version(source, Profile::Tolerant)?;
    let declared = coverage::Declared::read(&source.value);
    normalise::normalise(source, Profile::Tolerant);
    tolerate::tolerate(source, &declared)
}
