//! What labs reported of an order so far.

use std::fmt;

use chrono::{DateTime, FixedOffset};
use serde::{Deserialize, Serialize};
use wearlab_models::{MissingResult, ResultInterpretation};

use super::{LabReport, ReportMetadata, ReportedResult};

/// The results of an order, of all reports. `Debug` shows none of them.
#[derive(Clone, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportedResults {
    /// Who made the latest report, and when.
    pub metadata: ReportMetadata,
    /// The results, by name.
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
        for result in &report.results {
            let kept = KeptResult {
                date_reported,
                result: result.clone(),
            };
            match self.results.iter_mut().find(|kept| kept.result.key() == result.key()) {
                Some(known) if known.date_reported <= date_reported => *known = kept,
                Some(_) => {}
                None => self.results.push(kept),
            }
        }
        if self.metadata.date_reported <= date_reported {
            self.metadata = report.metadata.clone();
            self.missing_results.clone_from(&report.missing_results);
        }
        let order = |kept: &KeptResult| (kept.result.name.clone(), kept.result.loinc.clone(), kept.result.slug.clone());
        self.results.sort_by_cached_key(order);
    }

    /// The interpretation as a whole: the lab's, else the worst one of a result.
    pub fn interpretation(&self) -> Option<ResultInterpretation> {
        let rank = |interpretation: &ResultInterpretation| match interpretation {
            ResultInterpretation::Critical => 3,
            ResultInterpretation::Abnormal => 2,
            ResultInterpretation::Normal => 1,
            _ => 0,
        };
        let of_results = || {
            let all = self.results.iter().filter_map(|kept| kept.result.interpretation.clone());
            all.max_by_key(rank)
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
