//! The `blob_storage` block of a matcher: a storage account and a container.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use reqwest::Url;
use wearlab_models::{BlobStorage, Secret};

use super::connection_string::ConnectionString;
use crate::ConfigError;
use crate::pipeline::text::{filled, has_more_than_location};

/// The well-known account of the storage emulator.
const EMULATOR: &str = "DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;\
    AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;\
    BlobEndpoint=http://127.0.0.1:10000/devstoreaccount1";

/// A container of a storage account.
#[derive(Clone, Debug)]
pub struct ContainerConfig {
    /// The container's name.
    pub name: String,
    /// The account's name.
    pub account: String,
    /// The URL of the account's blob service, without a slash at the end.
    pub endpoint: String,
    /// Credential of requests.
    pub credential: BlobCredential,
    /// True if the credential is only the mask of one.
    pub(crate) masked: bool,
}

/// Credential of requests to blob storage.
#[derive(Clone, Debug)]
pub enum BlobCredential {
    /// The account's key, in Base64.
    Key(Secret),
    /// A shared access signature, as a query string.
    Signature(Secret),
}

impl ContainerConfig {
    /// Parses a block. `field` is its path in the pipeline.
    pub(super) fn parse(field: &str, block: &BlobStorage) -> Result<Self, ConfigError> {
        let name = &block.container_name;
        let container = format!("{field}.container_name");
        filled(&container, name, "is empty")?;
        if !is_name(name) {
            let reason = "is not a container name: 3 to 63 lowercase letters, digits and single '-' between them";
            return Err(ConfigError::new(container, reason));
        }
        let connection = format!("{field}.connection_string");
        let parsed = ConnectionString::parse(block.connection_string.expose()).and_then(|parts| {
            match parts.is_set("UseDevelopmentStorage") {
                true => Self::account(name, &ConnectionString::parse(EMULATOR)?),
                false => Self::account(name, &parts),
            }
        });
        parsed.map_err(|reason| ConfigError::new(connection, reason))
    }

    fn account(container: &str, parts: &ConnectionString<'_>) -> Result<Self, &'static str> {
        let scheme = parts.get("DefaultEndpointsProtocol").unwrap_or("https");
        if !matches!(scheme, "http" | "https") {
            return Err("has a DefaultEndpointsProtocol other than https and http");
        }
        let account = parts.get("AccountName");
        let endpoint = match (parts.get("BlobEndpoint"), account) {
            (Some(endpoint), _) => endpoint.trim_end_matches('/').to_owned(),
            (None, Some(account)) => {
                let suffix = parts.get("EndpointSuffix").unwrap_or("core.windows.net");
                format!("{scheme}://{account}.blob.{suffix}")
            }
            (None, None) => return Err("has neither AccountName nor BlobEndpoint"),
        };
        let url = Url::parse(&endpoint).ok();
        let url = url.filter(|url| matches!(url.scheme(), "http" | "https"));
        let url = url.ok_or("does not give a URL; check BlobEndpoint, AccountName and EndpointSuffix")?;
        if has_more_than_location(&url) {
            return Err(
                "has a BlobEndpoint with credentials, a query or a fragment; credentials are parts of their own",
            );
        }
        // Without AccountName, it is the first label of the host.
        let host = url.host_str().unwrap_or_default();
        let account = account.unwrap_or_else(|| host.split_once('.').map_or(host, |(name, _)| name));
        let masked = parts.is_masked();
        let credential = match (parts.get("AccountKey"), parts.get("SharedAccessSignature")) {
            (Some(key), None) if masked || STANDARD.decode(key).is_ok() => BlobCredential::Key(key.into()),
            (Some(_), None) => return Err("has an AccountKey that is not Base64"),
            (None, Some(signature)) => BlobCredential::Signature(signature.trim_start_matches('?').into()),
            (None, None) => return Err("has neither AccountKey nor SharedAccessSignature"),
            (Some(_), Some(_)) => return Err("has both AccountKey and SharedAccessSignature; give one of them"),
        };
        Ok(Self {
            name: container.to_owned(),
            account: account.to_owned(),
            endpoint,
            credential,
            masked,
        })
    }
}

fn is_name(name: &str) -> bool {
    let plain = name
        .bytes()
        .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
    (3..=63).contains(&name.len()) && plain && !name.starts_with('-') && !name.ends_with('-') && !name.contains("--")
}
