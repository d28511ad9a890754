//! A container of blob storage: one blob for each event.

use std::pin::Pin;
use std::sync::OnceLock;

use object_store::azure::{MicrosoftAzure, MicrosoftAzureBuilder};
use object_store::client::{HttpClient, HttpConnector, HttpError, HttpRequest, HttpResponse, HttpService};
use object_store::path::Path;
use object_store::{Attribute, Attributes, ClientOptions, Error, ObjectStore, PutMode, PutOptions, RetryConfig};
use reqwest::{Client, Url};

use super::fault::Fault;
use super::payload::Payload;
use crate::egress::{self, Policy, UrlError};
use crate::http::{BODY_TIME, LONGEST_BODY, read_body};
use crate::kinds::azure_amqp::blob_storage::{BlobCredential, ContainerConfig};
use crate::kinds::azure_amqp::settings::Settings;
use crate::{Message, Reason};

/// A container of a storage account.
pub(super) struct Container {
    pub(super) name: String,
    /// The URL of the account.
    account: String,
    policy: Policy,
    builder: MicrosoftAzureBuilder,
    /// Created when it is first needed, since that reads the system's certificates.
    store: OnceLock<Option<MicrosoftAzure>>,
}

impl Container {
    /// A container. Makes no connection.
    pub(super) fn new(config: &ContainerConfig, settings: &Settings) -> Self {
        let account = config.endpoint.clone();
        let builder = MicrosoftAzureBuilder::new()
            .with_account(&config.account)
            .with_endpoint(account.clone());
        let builder = match &config.credential {
            BlobCredential::Key(key) => builder.with_access_key(key.expose()),
            BlobCredential::Signature(query) => builder.with_sas_authorization(pairs(query.expose())),
        };
        let options = ClientOptions::new().with_allow_http(account.starts_with("http:"));
        let once = RetryConfig {
            max_retries: 0,
            ..RetryConfig::default()
        };
        Self {
            name: config.name.clone(),
            account,
            policy: settings.policy.clone(),
            builder: builder
                .with_container_name(&config.name)
                .with_client_options(options)
                .with_http_connector(Connector(settings.clone()))
                .with_retry(once),
            store: OnceLock::new(),
        }
    }

    /// Returns whether both are the same container.
    pub(super) fn is(&self, other: &Self) -> bool {
        (&self.account, &self.name) == (&other.account, &other.name)
    }

    /// Writes the blob of a message. An existing one was written by an earlier attempt, and stays.
    pub(super) async fn put(&self, message: &Message, payload: &Payload) -> Result<(), Fault> {
        // A name is checked when it is resolved, an IP address in a URL is not.
        let checked = self.policy.check_url(&self.account);
        checked.map_err(|error| self.unreachable(&error))?;
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

    /// The fault for a URL that is not allowed: always the same, so that it does not describe the network.
    fn unreachable(&self, error: &UrlError) -> Fault {
        Fault::Target(Reason::new(format!(
            "no connection to blob storage for container {}: {error}",
            self.name
        )))
    }

    fn fault(&self, error: &Error) -> Result<(), Fault> {
        let name = &self.name;
        let code = code(error);
        match (error, code.as_deref()) {
            // Any other conflict, such as a container that is being deleted, is not due to an earlier attempt.
            (Error::AlreadyExists { .. }, Some("BlobAlreadyExists" | "ConditionNotMet")) => Ok(()),
            (_, Some("ContainerNotFound")) => Err(Fault::Target(Reason::new(format!(
                "container {name} does not exist: create it in the storage account, or fix its name"
            )))),
            (Error::PermissionDenied { .. } | Error::Unauthenticated { .. }, _) => {
                Err(Fault::Target(Reason::new(format!(
                    "the storage account rejected the credentials for container {name}{}: fix its connection string",
                    code.map(|code| format!(" ({code})")).unwrap_or_default()
                ))))
            }
            (_, Some("RequestBodyTooLarge")) => Err(Fault::Refused(Reason::new(format!(
                "it is too large for container {name}"
            )))),
            (_, Some(code)) => Err(Fault::Message(Reason::new(format!(
                "container {name} responded {code}"
            )))),
            (_, None) => Err(Fault::Target(Reason::new(format!(
                "no response from blob storage for container {name}: {}",
                transport(error)
            )))),
        }
    }
}

/// The HTTP client of a container: it connects only where the policy allows, and follows no redirects.
#[derive(Debug)]
struct Connector(Settings);

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        let Self(settings) = self;
        let failed = |error: reqwest::Error| Error::Generic {
            store: "MicrosoftAzure",
            source: Box::new(error),
        };
        let client = egress::client(&settings.policy, &settings.extra_roots).map_err(failed)?;
        let client = client
            .connect_timeout(settings.connect_timeout)
            .timeout(settings.confirm_timeout)
            .build();
        Ok(HttpClient::new(Bounded(client.map_err(failed)?)))
    }
}

/// An HTTP client that reads bodies up to a limit, or their beginning on failure: the status has arrived by then.
#[derive(Debug)]
struct Bounded(Client);

impl HttpService for Bounded {
    fn call<'a, 'b>(
        &'a self,
        request: HttpRequest,
    ) -> Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'b>>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(async move {
            let (parts, body) = self.0.call(request).await?.into_parts();
            let mut read = Vec::new();
            let _ = tokio::time::timeout(BODY_TIME, read_body(body, LONGEST_BODY, &mut read)).await;
            Ok(HttpResponse::from_parts(parts, read.into()))
        })
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

/// The code in the service's response. The text around it may repeat the request.
fn code(error: &Error) -> Option<String> {
    let text = error.to_string();
    let (code, _) = text.split_once("<Code>")?.1.split_once("</Code>")?;
    let plain = code.len() <= 64 && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    plain.then(|| code.to_owned())
}

/// Reason for a missing response, by the error of the system. Other parts of the text may repeat the request.
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
    "the connection failed, or the response is invalid".to_owned()
}

/// The parameters of a query string.
fn pairs(query: &str) -> Vec<(String, String)> {
    let query = format!("http://_/?{query}");
    let url = Url::parse(&query).ok();
    let pairs = url.iter().flat_map(|url| url.query_pairs());
    pairs
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect()
}
