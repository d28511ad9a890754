//! Providers, diagnoses and reasons: what is the same for every seed.

use serde::de::DeserializeOwned;
use wearlab_models::{CancellationReason, Diagnosis};
use wearlab_store::{ProviderRecord, Record, StoreError, Write};

const PROVIDERS: &str = include_str!("../../data/providers.json");
const REASONS: &str = include_str!("../../data/cancellation_reasons.json");
const DIAGNOSES: &str = include_str!("../../data/diagnoses.tsv");

/// What is the same for every seed.
pub(super) struct Catalogue {
    pub(super) providers: Vec<ProviderRecord>,
    reasons: Vec<CancellationReason>,
}

impl Catalogue {
    pub(super) fn load() -> Result<Self, StoreError> {
        Ok(Self {
            providers: read("provider", PROVIDERS)?,
            reasons: read("cancellation reason", REASONS)?,
        })
    }

    pub(super) fn records(&self) -> impl Iterator<Item = Record> {
        let providers = self.providers.iter().cloned().map(Record::Provider);
        providers.chain(self.reasons.iter().cloned().map(Record::CancellationReason))
    }

    pub(super) fn put_diagnoses(&self, write: &mut Write<'_>) -> Result<(), StoreError> {
        diagnoses().try_for_each(|diagnosis| write.put_diagnosis(&diagnosis))
    }
}

fn diagnoses() -> impl Iterator<Item = Diagnosis> {
    DIAGNOSES
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(code, description)| {
            Diagnosis::builder()
                .diagnosis_code(code)
                .description(description)
                .build()
        })
}

fn read<T: DeserializeOwned>(what: &'static str, text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|_| StoreError::Document { what })
}
