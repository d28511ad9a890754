//! Coverage: the parts of a document that generated code has, counted against those that the document declares.
//!
//! `declared` reads the document before anything is left out, with references and parameters of paths resolved for each
//! operation; `kept` looks each part up in the typed document that the emitters read.

mod declared;
mod kept;
mod open;
mod schemas;
mod share;

use std::collections::BTreeMap;

pub(crate) use declared::Declared;
pub(crate) use kept::compare;
pub(crate) use schemas::Values;
pub use share::{Measure, Share};

/// The supported share of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Coverage {
    /// Shares in the order of [`Measure::ALL`].
    shares: [Share; Measure::ALL.len()],
    /// Number of operations whose calls have streams of pages.
    pub paged: usize,
    /// Numbers of omitted operations by the code of the first reason.
    pub reasons: BTreeMap<&'static str, usize>,
    /// Numbers of omitted parts of generated operations, by code.
    pub ignored: BTreeMap<&'static str, usize>,
    /// Parts of operations that generated code does not have, such as ``getPet: the query parameter `limit` ``.
    pub missing: Vec<String>,
}

impl Coverage {
    /// Returns a share.
    pub fn share(&self, measure: Measure) -> Share {
        self.shares[measure as usize]
    }

    /// Adds a part, and returns whether it is kept.
    pub(crate) fn count(&mut self, measure: Measure, kept: bool) -> bool {
        let share = &mut self.shares[measure as usize];
        share.all += 1;
        share.kept += usize::from(kept);
        kept
    }

    /// Adds the counts of another document.
    pub fn add(&mut self, other: &Self) {
        for (share, other) in self.shares.iter_mut().zip(&other.shares) {
            share.kept += other.kept;
            share.all += other.all;
        }
        self.paged += other.paged;
        for (own, others) in [(&mut self.reasons, &other.reasons), (&mut self.ignored, &other.ignored)] {
            for (code, count) in others {
                *own.entry(code).or_default() += count;
            }
        }
    }

    /// The last lines of notes: what generated code has as a whole, a sentence each.
    pub fn summary(&self) -> String {
        let whole = self.share(Measure::Whole);
        let mut lines = vec![format!(
            "{} of {} operations are generated; {} are whole: every parameter, body, typed success and credential",
            self.share(Measure::Generated).kept,
            whole.all,
            whole.kept
        )];
        let parts = Measure::ALL.into_iter().skip(2).filter_map(|measure| {
            let share = self.share(measure);
            (share.all > 0).then(|| format!("{} of {} {}", share.kept, share.all, measure.noun()))
        });
        let parts: Vec<_> = parts.collect();
        lines.extend(parts.chunks(4).map(|line| line.join("; ")));
        if self.paged > 0 {
            lines.push(format!("{} lists are streams of pages", self.paged));
        }
        lines.join("\n")
    }
}
