//! Merged results of an order.

use std::collections::HashSet;
use std::fmt;

use chrono::{DateTime, FixedOffset};
use serde::{Deserialize, Serialize};
use wearlab_labs::results::{Interpretation, Reported, ResultKey, interpretation_of_all, merge};
use wearlab_models::{MissingResult, ResultInterpretation};

use super::{LabReport, ReportMetadata, ReportedResult};

/// Results of an order, of all reports. `Debug` shows none of them.
#[derive(Clone, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportedResults {
    /// Lab and time of the latest report.
    pub metadata: ReportMetadata,
    /// Results, in the order of their reports.
    pub results: Vec<KeptResult>,
    /// Missing results of reports, without those that have a result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_results: Vec<MissingResult>,
}

/// Result with the time of its report.
#[derive(Clone, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeptResult {
    /// Time of the report.
    pub date_reported: DateTime<FixedOffset>,
    /// Reported result.
    pub result: ReportedResult,
}

impl ReportedResults {
    /// Creates the results of a first report.
    pub fn of(report: &LabReport) -> Self {
        let mut results = Self {
            metadata: report.metadata.clone(),
            results: Vec::new(),
            missing_results: Vec::new(),
        };
        results.add(report);
        results
    }

    /// Adds a report. Later results stay, so that reports may come in any order; a repeat changes nothing.
    pub fn add(&mut self, report: &LabReport) {
        let date_reported = report.metadata.date_reported;
        let is_known = |result: &ReportedResult| {
            let same = |kept: &KeptResult| kept.date_reported >= date_reported && kept.result == *result;
            self.results.iter().any(same)
        };
        // Of several results of a key, the last one counts.
        let mut seen = HashSet::new();
        let said = report.results.iter().rev().filter(|result| seen.insert(result.key()));
        let mut news: Vec<_> = said.filter(|result| !is_known(result)).collect();
        news.reverse();
        let has_news = !news.is_empty();
        let arrived = news.into_iter().map(|result| KeptResult {
            date_reported,
            result: result.clone(),
        });
        let arrived = arrived.collect();
        let known = std::mem::take(&mut self.results).into_iter().map(|kept| Reported {
            date_reported: kept.date_reported.to_utc(),
            value: kept,
        });
        let merged = merge(known.collect(), date_reported.to_utc(), arrived, |kept| {
            kept.result.key()
        });
        self.results = merged.into_iter().map(|reported| reported.value).collect();
        let is_later = self.metadata.date_reported < date_reported;
        // The end of partial results is also a change.
        let is_last = self.metadata.is_partial() && !report.metadata.is_partial();
        if is_later || ((has_news || is_last) && self.metadata.date_reported == date_reported) {
            let earlier = std::mem::replace(&mut self.metadata, report.metadata.clone());
            self.metadata.complete(earlier);
        }
        self.note_missing(&report.missing_results);
    }

    /// Records missing results. Those with a result are not missing.
    fn note_missing(&mut self, missing: &[MissingResult]) {
        let key =
            |missing: &MissingResult| ResultKey::new(missing.loinc.as_deref(), missing.slug.as_deref(), &missing.name);
        for one in missing {
            match self.missing_results.iter_mut().find(|known| key(known) == key(one)) {
                Some(known) => known.clone_from(one),
                None => self.missing_results.push(one.clone()),
            }
        }
        let results = &self.results;
        self.missing_results
            .retain(|missing| results.iter().all(|kept| kept.result.key() != key(missing)));
    }

    /// Returns the interpretation as a whole: that of the lab, or else that of the results.
    pub fn interpretation(&self) -> Option<ResultInterpretation> {
        let of_results = || {
            let all = self.results.iter().map(|kept| {
                let result = &kept.result;
                let said = result.interpretation.as_ref();
                // An unknown interpretation of the lab is ignored, and not replaced by a computed one.
                let interpretation = match said {
                    Some(said) => Interpretation::from_name(said.as_str()),
                    None => result.assess().interpretation,
                };
                (result.result_type(), interpretation)
            });
            interpretation_of_all(all).map(|found| found.as_str().into())
        };
        self.metadata.interpretation.clone().or_else(of_results)
    }
}

impl fmt::Debug for ReportedResults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReportedResults")
            .field("metadata", &self.metadata)
            .field("results", &self.results.len())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for KeptResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeptResult")
            .field("date_reported", &self.date_reported)
            .finish_non_exhaustive()
    }
}
