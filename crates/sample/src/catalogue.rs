//! Providers and cancellation reasons, which are the same for every seed.

use serde::de::DeserializeOwned;
use wearlab_models::CancellationReason;
use wearlab_store::{ProviderRecord, Record, StoreError};

const PROVIDERS: &str = include_str!("../data/providers.json");
const REASONS: &str = include_str!("../data/cancellation_reasons.json");

/// Data that are the same for every seed.
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
}

fn read<T: DeserializeOwned>(what: &'static str, text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|_| StoreError::Document { what })
}
