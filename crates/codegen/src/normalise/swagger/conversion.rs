//! State of a conversion: media types, moved parts and notes.

use serde_json::{Map, Value, json};

use super::servers::Server;
use super::texts::texts;
use crate::Code;
use crate::source::Source;

/// State of a conversion. Pointers are those of the document of 2.0, unless they are named `new`.
pub(super) struct Conversion {
    /// Media types of bodies of operations without their own.
    pub(super) consumes: Vec<String>,
    pub(super) produces: Vec<String>,
    pub(super) server: Server,
    /// Named parameters, also those that become bodies: of the root, and of other files.
    pub(super) parameters: Value,
    /// Moved parts: the new pointer, and the old one.
    moves: Vec<(String, String)>,
    notes: Vec<Note>,
}

struct Note {
    at: String,
    message: String,
    consequence: &'static str,
}

impl Conversion {
    /// Takes the members that have no place in a document of 3.1.
    pub(super) fn new(root: &mut Map<String, Value>) -> Self {
        root.shift_remove("swagger");
        root.insert("openapi".to_owned(), json!("3.1.1"));
        let server = Server::take(root);
        root.insert("servers".to_owned(), server.list());
        let mut conversion = Self {
            consumes: texts(root.shift_remove("consumes")).unwrap_or_default(),
            produces: texts(root.shift_remove("produces")).unwrap_or_default(),
            server,
            parameters: json!({
                "parameters": root.get("parameters"),
                "components": root.get("components").map(|components| &components["parameters"]),
            }),
            moves: Vec::new(),
            notes: Vec::new(),
        };
        conversion.moved("/servers", "/host");
        conversion
    }

    pub(super) fn moved(&mut self, new: &str, old: &str) {
        self.moves.push((new.to_owned(), old.to_owned()));
    }

    pub(super) fn note(&mut self, at: &str, message: impl Into<String>, consequence: &'static str) {
        self.notes.push(Note {
            at: at.to_owned(),
            message: message.into(),
            consequence,
        });
    }

    /// Records notes and moved parts in the source.
    pub(super) fn record(self, source: &mut Source<'_>) {
        for note in self.notes {
            source.note(Code::SwaggerPart, &note.at, note.message, note.consequence);
        }
        // An old pointer may be the new one of another part.
        let origins: Vec<_> = self
            .moves
            .into_iter()
            .map(|(new, old)| (new, source.origin(&old)))
            .collect();
        for (new, origin) in origins {
            source.moved(new, origin);
        }
    }
}
