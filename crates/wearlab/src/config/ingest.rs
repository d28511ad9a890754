//! Settings of ingestion.

use std::str::FromStr;

use serde::Deserialize;
use wearlab_models::NoteCode;
use wearlab_settings::list;

/// Settings of ingestion.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section of settings")]
pub struct IngestSettings {
    /// Codes of notes that reject their lines. Default: none.
    #[serde(deserialize_with = "list::deserialize")]
    pub reject: Vec<RejectedNote>,
}

impl IngestSettings {
    /// Returns the codes of the notes that reject lines.
    pub fn rejected(&self) -> Vec<NoteCode> {
        self.reject.iter().map(|RejectedNote(code)| code.clone()).collect()
    }
}

/// Code of a note that rejects its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectedNote(pub NoteCode);

impl FromStr for RejectedNote {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match NoteCode::from(text) {
            NoteCode::Other(_) => {
                let codes: Vec<_> = NoteCode::KNOWN.iter().map(NoteCode::as_str).collect();
                Err(format!("expected the code of a note: one of {}", codes.join(", ")))
            }
            code => Ok(Self(code)),
        }
    }
}
