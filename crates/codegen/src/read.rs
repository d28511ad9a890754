//! Versions of both profiles, and passes 2 to 4 of the strict one.

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::document::Document;
use crate::source::{Report, Source};
use crate::{Profile, check, document, normalise};

/// Checks the version of OpenAPI: with another one, every other diagnostic would be noise. Converts an older or a later one
/// of the tolerant profile.
pub(crate) fn version(source: &mut Source<'_>, profile: Profile) -> Result<(), Diagnostics> {
    let mut report = Report::new(source);
    check::version(source, profile, &mut report);
    report.finish()?;
    if !profile.is_strict() {
        normalise::convert(source);
    }
    Ok(())
}

/// Reads a parsed document, with the mistakes of all passes. Returns the notes, too.
pub(crate) fn strict(source: &mut Source<'_>) -> Result<(Document, Vec<Diagnostic>), Diagnostics> {
    version(source, Profile::Strict)?;
    let mistakes = normalise::normalise(source, Profile::Strict);
    let (mut form, mut meaning) = (Report::new(source), Report::new(source));
    form.add_mistakes_of_text();
    mistakes.into_iter().for_each(|mistake| mistake.report(&mut form));
    check::check(source, &mut form);
    let document = document::read(source, &mut meaning);
    form.add_unrelated(meaning);
    let notes = form.take_notes();
    form.finish()?;
    normalise::remove_defaults(source);
    Ok((document, notes))
}
