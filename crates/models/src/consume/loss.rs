//! Losses of an upgrade: values of a deprecated form that the current one does not have, and guesses.

use std::fmt;

/// Part of an event that its current form lacks, or has by a guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Loss {
    /// A hypnogram has no sessions: one ends where no stage follows within an hour. Its start and end are those of its
    /// stages.
    Sessions,
    /// A hypnogram does not name its sleep cycles. Their ids are made of user, provider and start, so that the same
    /// session has the same id again; the service has another.
    SleepCycleIds,
    /// The provider's name and logo, which the provider catalogue has (`GET /v2/providers/`).
    ProviderDetails,
    /// The `is_final` of false: more events of the same pull follow. Current services send one event for each.
    NotFinal,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sessions => "where sessions of sleep begin and end is guessed",
            Self::SleepCycleIds => "the ids of sleep cycles are made up",
            Self::ProviderDetails => "the name or logo of the provider is left out",
            Self::NotFinal => "`is_final: false` is dropped",
        })
    }
}
