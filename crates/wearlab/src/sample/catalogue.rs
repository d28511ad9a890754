//! Providers, diagnoses and reasons: what is the same for every seed.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use wearlab_models::{CancellationReason, Diagnosis, OAuthProvider, ProviderSourceType, SupportedProvider};
use wearlab_store::{PutProvider, StoreError, Write};

const PROVIDERS: &str = include_str!("../../data/providers.json");
const REASONS: &str = include_str!("../../data/cancellation_reasons.json");
const DIAGNOSES: &str = include_str!("../../data/diagnoses.tsv");

/// What is the same for every seed.
pub(super) struct Catalogue {
    pub(super) providers: Vec<PutProvider>,
    reasons: Vec<CancellationReason>,
}

/// A provider as the data file has it.
#[derive(Deserialize)]
struct Listed {
    source_type: ProviderSourceType,
    supported: SupportedProvider,
    link: Option<OAuthProvider>,
}

impl Catalogue {
    pub(super) fn load() -> Result<Self, StoreError> {
        let providers: Vec<Listed> = read("provider", PROVIDERS)?;
        Ok(Self {
            providers: providers.into_iter().map(PutProvider::from).collect(),
            reasons: read("cancellation reason", REASONS)?,
        })
    }

    pub(super) fn put(&self, write: &mut Write<'_>) -> Result<(), StoreError> {
        self.providers
            .iter()
            .try_for_each(|provider| write.put_provider(provider))?;
        self.reasons
            .iter()
            .try_for_each(|reason| write.put_cancellation_reason(reason))?;
        diagnoses().try_for_each(|diagnosis| write.put_diagnosis(&diagnosis))
    }
}

impl From<Listed> for PutProvider {
    fn from(listed: Listed) -> Self {
        Self {
            supported: listed.supported,
            link: listed.link,
            source_type: listed.source_type,
        }
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
