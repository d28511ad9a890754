//! Providers and cancellation reasons, which are the same for every seed.

use serde::de::DeserializeOwned;
use wearlab_models::{CancellationReason, ResourceName};
use wearlab_store::{ProviderRecord, Record, StoreError};

const PROVIDERS: &str = include_str!("../data/providers.json");
const REASONS: &str = include_str!("../data/cancellation_reasons.json");
/// Health store of a phone, which also has the resources that no provider of the list has.
const HEALTH_STORE: &str = "pocketvitals";

/// Data that are the same for every seed.
pub(super) struct Catalogue {
    pub(super) providers: Vec<ProviderRecord>,
    reasons: Vec<CancellationReason>,
}

impl Catalogue {
    pub(super) fn load() -> Result<Self, StoreError> {
        let mut providers: Vec<ProviderRecord> = read("provider", PROVIDERS)?;
        let supports = |resource: &&ResourceName| {
            let mut providers = providers.iter();
            providers.any(|provider| provider.supported.supported_resources.contains(resource))
        };
        let others: Vec<_> = ResourceName::KNOWN
            .iter()
            .filter(|resource| !supports(resource))
            .collect();
        let store = providers
            .iter_mut()
            .find(|provider| provider.supported.slug == HEALTH_STORE);
        if let Some(store) = store {
            store.supported.supported_resources.extend(others.into_iter().cloned());
        }
        Ok(Self {
            providers,
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
