//! What labs reported of an order so far.

use std::fmt;

use chrono::{DateTime, FixedOffset};
use serde::{Deserialize, Serialize};
use wearlab_labs::results::{Interpretation, Reported, interpretation_of_all, merge};
use wearlab_models::{MissingResult, ResultInterpretation};

use super::{LabReport, ReportMetadata, ReportedResult};

/// The results of an order, of all reports. `Debug` shows none of them.
#[derive(Clone, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportedResults {
    /// Who made the latest report, and when.
    pub metadata: ReportMetadata,
    /// The results, in the order of their reports.
    pub results: Vec<KeptResult>,
    /// What the latest report says is missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_results: Vec<MissingResult>,
}

/// A result, and when it was reported.
#[derive(Clone, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeptResult {
    /// When it was reported.
    pub date_reported: DateTime<FixedOffset>,
    /// The result.
    pub result: ReportedResult,
}

impl ReportedResults {
    /// Those of a first report.
    pub fn of(report: &LabReport) -> Self {
        let mut results = Self {
            metadata: report.metadata.clone(),
            results: Vec::new(),
            missing_results: Vec::new(),
        };
        results.add(report);
        results
    }

    /// Adds a report. What was reported later stays, so that reports may come in any order.
    pub fn add(&mut self, report: &LabReport) {
        let date_reported = report.metadata.date_reported;
        let known = std::mem::take(&mut self.results).into_iter().map(|kept| Reported {
            date_reported: kept.date_reported.to_utc(),
            value: kept,
        });
        let arrived = report.results.iter().map(|result| KeptResult {
            date_reported,
            result: result.clone(),
        });
        let merged = merge(known.collect(), date_reported.to_utc(), arrived.collect(), |kept| {
            kept.result.key()
        });
        self.results = merged.into_iter().map(|reported| reported.value).collect();
        if self.metadata.date_reported <= date_reported {
            self.metadata = report.metadata.clone();
            self.missing_results.clone_from(&report.missing_results);
        }
    }

    /// The interpretation as a whole: the lab's, else what follows from the results.
    pub fn interpretation(&self) -> Option<ResultInterpretation> {
        let of_results = || {
            let all = self.results.iter().map(|kept| {
                let result = &kept.result;
                let said = result.interpretation.as_ref();
                let said = said.and_then(|said| Interpretation::from_name(said.as_str()));
                (result.result_type(), said.or_else(|| result.assess().interpretation))
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
