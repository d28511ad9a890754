//! One change, and its impact.

use std::fmt;

use super::Kind;

/// Impact of a change on clients or on implementers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Impact {
    /// No impact.
    #[default]
    None,
    /// Existing code works, and there is more.
    Additive,
    /// Existing code fails: it does not compile, is rejected, or has another meaning.
    Breaking,
}

/// A change of the document. `Display` is one line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// Kind of the change.
    pub kind: Kind,
    /// The part that changed: `GET /v2/user/ (list_users)`, `User`, `event daily.data.steps.created`.
    pub element: String,
    /// Names of the part, any of which a changelog may use.
    pub names: Vec<String>,
    /// Description of the change.
    pub what: String,
    /// Additional information.
    pub note: Option<String>,
    /// Operations and events that use the part, where it is a schema.
    pub users: Vec<String>,
    /// Impact on users of the client and the models, and for clients in other languages.
    pub client: Impact,
    /// Impact on implementers of the server's traits, who also make values of the models.
    pub server: Impact,
}

impl Change {
    /// The greater of both impacts.
    pub fn impact(&self) -> Impact {
        self.client.max(self.server)
    }

    /// Names the broken side, or else the kind of change.
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
        write!(f, "{}: {}: {}", self.verdict(), self.element, self.what)?;
        if let Some(note) = &self.note {
            write!(f, "; {note}")?;
        }
        if !self.users.is_empty() {
            let shown = &self.users[..self.users.len().min(SHOWN)];
            write!(f, " (in {}", shown.join(", "))?;
            if self.users.len() > SHOWN {
                write!(f, " and {} more", self.users.len() - SHOWN)?;
            }
            f.write_str(")")?;
        }
        Ok(())
    }
}

/// A part of the document with changes to report.
#[derive(Clone, Default)]
pub(super) struct Element {
    pub(super) text: String,
    pub(super) names: Vec<String>,
    pub(super) users: Vec<String>,
    /// The sides that write it and that read it.
    pub(super) direction: Direction,
}

/// The direction in which values of a schema are sent.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Direction {
    /// Responses and events.
    #[default]
    ToClients,
    /// Requests.
    ToServers,
    Both,
}

impl Direction {
    /// The impact on clients and on implementers, by that on readers and on writers.
    pub(super) fn impacts(self, reader: Impact, writer: Impact) -> (Impact, Impact) {
        match self {
            Self::ToClients => (reader, writer),
            Self::ToServers => (writer, reader),
            Self::Both => (reader.max(writer), reader.max(writer)),
        }
    }
}

impl Element {
    pub(super) fn new(text: impl Into<String>, names: &[&str]) -> Self {
        Self {
            text: text.into(),
            names: names.iter().map(|&name| name.to_owned()).collect(),
            users: Vec::new(),
            direction: Direction::default(),
        }
    }

    /// A change of this part without an impact, which can be set.
    pub(super) fn change(&self, kind: Kind, what: impl Into<String>) -> Change {
        Change {
            kind,
            element: self.text.clone(),
            names: self.names.clone(),
            what: what.into(),
            note: None,
            users: self.users.clone(),
            client: Impact::None,
            server: Impact::None,
        }
    }
}
