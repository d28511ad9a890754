//! One change, and whom it touches.

use std::fmt;

use super::Kind;

/// What a change means for one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Impact {
    /// Nothing.
    #[default]
    None,
    /// What was there goes on working, and there is more.
    Additive,
    /// Something that worked does so no longer: it does not compile, is refused, or means something else.
    Breaking,
}

/// A change of the document. `Display` says it in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// What kind of change it is.
    pub kind: Kind,
    /// The part that changed: `GET /v2/user/ (list_users)`, `User`, `event daily.data.steps.created`.
    pub place: String,
    /// Names of the part, by any of which people speak of it.
    pub names: Vec<String>,
    /// What changed.
    pub what: String,
    /// What else is worth knowing.
    pub note: Option<String>,
    /// Operations and events that carry the part, where it is a schema.
    pub carriers: Vec<String>,
    /// What it means for users of the client and the models, and for clients in other languages.
    pub client: Impact,
    /// What it means for implementers of the server's traits, who also make values of the models.
    pub server: Impact,
}

impl Change {
    /// The greater of both impacts.
    pub fn impact(&self) -> Impact {
        self.client.max(self.server)
    }

    /// Whom it breaks, or what it is where it breaks nobody.
    pub fn verdict(&self) -> &'static str {
        match (self.client, self.server) {
            (Impact::Breaking, Impact::Breaking) => "breaks clients and implementers",
            (Impact::Breaking, _) => "breaks clients",
            (_, Impact::Breaking) => "breaks implementers",
            (Impact::None, Impact::None) => "documentation",
            _ => "additive",
        }
    }

    pub(super) fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// Breaks clients and implementers.
    pub(super) fn breaks_both(self) -> Self {
        self.impacts(Impact::Breaking, Impact::Breaking)
    }

    pub(super) fn impacts(mut self, client: Impact, server: Impact) -> Self {
        (self.client, self.server) = (client, server);
        self
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 3;
        write!(f, "{}: {}: {}", self.verdict(), self.place, self.what)?;
        if let Some(note) = &self.note {
            write!(f, "; {note}")?;
        }
        if !self.carriers.is_empty() {
            let shown = &self.carriers[..self.carriers.len().min(SHOWN)];
            write!(f, " (in {}", shown.join(", "))?;
            if self.carriers.len() > SHOWN {
                write!(f, " and {} more", self.carriers.len() - SHOWN)?;
            }
            f.write_str(")")?;
        }
        Ok(())
    }
}

/// A part of the document that changes are reported for.
#[derive(Clone, Default)]
pub(super) struct Place {
    pub(super) text: String,
    pub(super) names: Vec<String>,
    pub(super) carriers: Vec<String>,
}

impl Place {
    pub(super) fn new(text: impl Into<String>, names: &[&str]) -> Self {
        Self {
            text: text.into(),
            names: names.iter().map(|&name| name.to_owned()).collect(),
            carriers: Vec::new(),
        }
    }

    /// A change of this part that touches nobody, until it is said whom.
    pub(super) fn change(&self, kind: Kind, what: impl Into<String>) -> Change {
        Change {
            kind,
            place: self.text.clone(),
            names: self.names.clone(),
            what: what.into(),
            note: None,
            carriers: self.carriers.clone(),
            client: Impact::None,
            server: Impact::None,
        }
    }
}
