//! The tolerant profile: degrades unsupported parts with a note, until the rest is supported.
//!
//! A keyword is ignored alone; a part that cannot be modelled becomes the nearest one that reads and writes the same
//! (`nearest`), or any JSON; what cannot be sent is left out, and at last an operation, with the references to removed
//! parts.

mod alone;
mod declare;
mod keyword;
mod nearest;
mod open;
mod path;
mod put;
mod references;
mod remedies;
mod remedy;

use crate::coverage::{self, Coverage, Declared, Values};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::document::Document;
use crate::source::{Report, Source};
use crate::{check, document};
use remedies::Remedies;

/// Maximum number of passes over a document. Then, parts that still have a mistake are left out as a whole.
const ROUNDS: usize = 24;

/// A document with omitted parts.
pub(crate) struct Tolerated {
    pub(crate) document: Document,
    pub(crate) coverage: Coverage,
    notes: Vec<Diagnostic>,
}

impl Tolerated {
    /// Parts that were left out.
    pub(crate) fn notes(&mut self, source: &Source<'_>) -> Diagnostics {
        Diagnostics::notes(source.files(), std::mem::take(&mut self.notes))
    }
}

/// Leaves out unsupported parts.
pub(crate) fn tolerate(source: &mut Source<'_>, declared: &Declared) -> Result<Tolerated, Diagnostics> {
    let mut remedies = Remedies::default();
    for note in source.take_notes() {
        *remedies.ignored.entry(note.code.as_str()).or_default() += 1;
        remedies.notes.push(note);
    }
    remedies.without_webhooks(source);
    let values = Values::read(&source.value);
    let mut round = 0;
    loop {
        let (mut document, mistakes, notes) = read(source);
        if mistakes.is_empty() {
            for note in &notes {
                *remedies.ignored.entry(note.code.as_str()).or_default() += 1;
            }
            remedies.notes.extend(notes);
            let mut coverage = coverage::compare(declared, &values, &source.value, &document);
            (coverage.reasons, coverage.ignored) = (remedies.reasons, remedies.ignored);
            document.find_paging();
            coverage.paged = document.paged_operations().count();
            return Ok(Tolerated {
                document,
                coverage,
                notes: remedies.notes,
            });
        }
        let mut changed = remedies.apply(source, mistakes.clone(), round >= ROUNDS / 2);
        if !changed {
            changed = remedies.apply(source, mistakes.clone(), true);
        }
        if !changed || round >= ROUNDS {
            let list = mistakes.into_iter().map(|(_, diagnostic)| diagnostic).collect();
            return Err(Diagnostics::new(source.files(), list));
        }
        round += 1;
    }
}

/// Passes 3 and 4.
fn read(source: &Source<'_>) -> (Document, Vec<(String, Diagnostic)>, Vec<Diagnostic>) {
    let (mut form, mut meaning) = (Report::new(source), Report::new(source));
    check::check(source, &mut form);
    let document = document::read(source, &mut meaning);
    form.add_unrelated(meaning);
    let notes = form.take_notes();
    (document, form.causes(), notes)
}
