//! A container of blob storage: one blob for each event.

use std::sync::OnceLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use object_store::azure::{MicrosoftAzure, MicrosoftAzureBuilder};
use object_store::path::Path;
use object_store::{
    Attribute, Attributes, Certificate, ClientOptions, Error, ObjectStore, PutMode, PutOptions, RetryConfig,
};
use reqwest::Url;
use wearlab_models::BlobStorage;

use super::Settings;
use super::connection_string::ConnectionString;
use super::fault::Fault;
use super::payload::Payload;
use crate::{Message, Reason};

/// The account that every emulator has, and where it stands.
const EMULATOR: &str = "DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;\
    AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;\
    BlobEndpoint=http://127.0.0.1:10000/devstoreaccount1";

/// A container of a storage account.
pub(super) struct Container {
    pub(super) name: String,
    /// Where the account is.
    account: String,
    builder: MicrosoftAzureBuilder,
    /// Made when it is first needed, since that reads the system's certificates.
    store: OnceLock<Option<MicrosoftAzure>>,
}

impl Container {
    /// The container that a block names, or the field of it that is wrong, and why.
    pub(super) fn new(block: &BlobStorage, settings: &Settings) -> Result<Self, (&'static str, &'static str)> {
        if !is_name(&block.container_name) {
            let reason = "is no name of a container: 3 to 63 lower-case letters, digits and single '-' between them";
            return Err(("container_name", reason));
        }
        let (account, builder) =
            account(block.connection_string.expose()).map_err(|reason| ("connection_string", reason))?;
        let mut options = ClientOptions::new()
            .with_allow_http(account.starts_with("http:"))
            .with_connect_timeout(settings.connect_timeout)
            .with_timeout(settings.confirm_timeout);
        for pem in &settings.extra_roots {
            // One that is none is reported where hubs need it.
            if let Ok(certificate) = Certificate::from_pem(pem) {
                options = options.with_root_certificate(certificate);
            }
        }
        let once = RetryConfig {
            max_retries: 0,
            ..RetryConfig::default()
        };
        Ok(Self {
            name: block.container_name.clone(),
            account,
            builder: builder
                .with_container_name(&block.container_name)
                .with_client_options(options)
                .with_retry(once),
            store: OnceLock::new(),
        })
    }

    /// Whether both are the same container.
    pub(super) fn is(&self, other: &Self) -> bool {
        (&self.account, &self.name) == (&other.account, &other.name)
    }

    /// Writes the blob of a message. One that is there already was written by an earlier attempt, and stays.
    pub(super) async fn put(&self, message: &Message, payload: &Payload) -> Result<(), Fault> {
        let store = self.store.get_or_init(|| self.builder.clone().build().ok());
        let store = store.as_ref().ok_or_else(|| {
            Fault::Target(Reason::new(
                "blob storage cannot be used: check the system's certificates",
            ))
        })?;
        let mut attributes = Attributes::new();
        attributes.insert(Attribute::ContentType, "application/json".into());
        if let Some(encoding) = payload.encoding() {
            attributes.insert(Attribute::ContentEncoding, encoding.into());
        }
        let options = PutOptions {
            mode: PutMode::Create,
            attributes,
            ..PutOptions::default()
        };
        let name = name(message, payload);
        match store.put_opts(&name, payload.bytes.clone().into(), options).await {
            Ok(_) => Ok(()),
            Err(error) => self.fault(&error),
        }
    }

    fn fault(&self, error: &Error) -> Result<(), Fault> {
        let name = &self.name;
        let code = code(error);
        match (error, code.as_deref()) {
            // Any other conflict, such as a container that is being deleted, is none with an earlier attempt.
            (Error::AlreadyExists { .. }, Some("BlobAlreadyExists" | "ConditionNotMet")) => Ok(()),
            (_, Some("ContainerNotFound")) => Err(Fault::Target(Reason::new(format!(
                "container {name} is not there: create it in the storage account, or mend its name"
            )))),
            (Error::PermissionDenied { .. } | Error::Unauthenticated { .. }, _) => {
                Err(Fault::Target(Reason::new(format!(
                    "the storage account refuses the credentials for container {name}{}: mend its connection string",
                    code.map(|code| format!(" ({code})")).unwrap_or_default()
                ))))
            }
            (_, Some("RequestBodyTooLarge")) => Err(Fault::Refused(Reason::new(format!(
                "it is too large for container {name}"
            )))),
            (_, Some(code)) => Err(Fault::Message(Reason::new(format!("container {name} answered {code}")))),
            (_, None) => Err(Fault::Target(Reason::new(format!(
                "no answer from blob storage for container {name}: {}",
                transport(error)
            )))),
        }
    }
}

/// `team/2026-01-31/event type/event id.json`, or `.json.gz`: by day, and the same for the same event.
fn name(message: &Message, payload: &Payload) -> Path {
    let day = message.created_on.to_utc().format("%Y-%m-%d").to_string();
    let file = match payload.gzip {
        true => format!("{}.json.gz", message.event_id),
        false => format!("{}.json", message.event_id),
    };
    Path::from_iter([message.team_id.to_string(), day, message.event_type.clone(), file])
}

/// The code that the service put into its answer. The text around it may repeat what was sent.
fn code(error: &Error) -> Option<String> {
    let text = error.to_string();
    let (code, _) = text.split_once("<Code>")?.1.split_once("</Code>")?;
    let plain = code.len() <= 64 && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    plain.then(|| code.to_owned())
}

/// Why there was no answer, where the system says so. What else the text says may repeat what was sent.
fn transport(error: &Error) -> String {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<std::io::Error>() {
            return error.kind().to_string();
        }
        if let Some(error) = error.downcast_ref::<reqwest::Error>()
            && error.is_timeout()
        {
            return "timed out".to_owned();
        }
        cause = error.source();
    }
    "it is none, or not reached".to_owned()
}

fn is_name(name: &str) -> bool {
    let plain = name
        .bytes()
        .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
    (3..=63).contains(&name.len()) && plain && !name.starts_with('-') && !name.ends_with('-') && !name.contains("--")
}

/// Where a connection string's account is, and what speaks to it.
fn account(text: &str) -> Result<(String, MicrosoftAzureBuilder), &'static str> {
    let parts = ConnectionString::parse(text)?;
    if parts.is_set("UseDevelopmentStorage") {
        return account(EMULATOR);
    }
    let scheme = parts.get("DefaultEndpointsProtocol").unwrap_or("https");
    if !matches!(scheme, "http" | "https") {
        return Err("has a DefaultEndpointsProtocol that is neither https nor http");
    }
    let name = parts.get("AccountName");
    let endpoint = match (parts.get("BlobEndpoint"), name) {
        (Some(endpoint), _) => endpoint.trim_end_matches('/').to_owned(),
        (None, Some(name)) => {
            let suffix = parts.get("EndpointSuffix").unwrap_or("core.windows.net");
            format!("{scheme}://{name}.blob.{suffix}")
        }
        (None, None) => return Err("needs AccountName, or BlobEndpoint"),
    };
    let url = Url::parse(&endpoint)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https"));
    let url = url.ok_or("leads to no address: check BlobEndpoint, AccountName and EndpointSuffix")?;
    // The account is the first part of the host, where no name is given.
    let host = url.host_str().unwrap_or_default();
    let name = name.unwrap_or_else(|| host.split_once('.').map_or(host, |(name, _)| name));
    let builder = MicrosoftAzureBuilder::new()
        .with_account(name)
        .with_endpoint(endpoint.clone());
    let builder = match (parts.get("AccountKey"), parts.get("SharedAccessSignature")) {
        (Some(key), None) if STANDARD.decode(key).is_ok() => builder.with_access_key(key),
        (Some(_), None) => return Err("has an AccountKey that is not Base64"),
        (None, Some(signature)) => builder.with_sas_authorization(pairs(signature)),
        _ => return Err("needs AccountKey or SharedAccessSignature"),
    };
    Ok((endpoint, builder))
}

/// The parameters of a shared access signature.
fn pairs(signature: &str) -> Vec<(String, String)> {
    let query = format!("http://_/?{}", signature.trim_start_matches('?'));
    let url = Url::parse(&query).ok();
    let pairs = url.iter().flat_map(|url| url.query_pairs());
    pairs
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect()
}
