//! Checks of a configuration beyond the types of its values.

use std::path::Path;
use std::time::Duration;

use wearlab_delivery::kinds::is_built;
use wearlab_models::DeliveryKind;
use wearlab_service::limits;
use wearlab_settings::InvalidSetting;

use super::Config;
use super::defaults::is_secret;
use super::files::{self, FileError};
use super::log::LogSettings;
use super::values::Keep;
use crate::log::{self, LogError};

/// Maximum timeout of an attempt to send a webhook.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// Maximum timeout of a request to a provider: its lease of a token refresh must outlast it.
const MINUTE: Duration = Duration::from_secs(60);
/// Maximum size of the page cache. A larger one is a mistake, which would grow until the process is killed.
const MOST_CACHE: u64 = 1 << 40;
/// Maximum concurrent requests to one webhook endpoint.
const MOST_IN_FLIGHT: usize = 1000;

/// Checks the values. Files are not read.
pub(super) fn values(config: &Config) -> Vec<InvalidSetting> {
    let mut found = Vec::new();
    let mut refuse = |wrong: bool, setting: &'static str, reason: &str| {
        if wrong {
            found.push(InvalidSetting::new(setting, reason));
        }
    };
    let data = config.data.to_string_lossy();
    refuse(data.is_empty(), "data", "is empty: name the directory of the data");
    let url = data.contains("://");
    refuse(
        url,
        "data",
        "is a URL, not a directory: set `database.url` for a database",
    );
    let url = config.database.url.as_ref();
    if let Some(reason) = url.and_then(|url| files::check_database_url(url).err()) {
        refuse(true, "database.url", &reason);
    }
    for (setting, bytes) in [
        ("store.page_cache_bytes", config.store.page_cache_bytes),
        ("database.document_cache_bytes", config.database.document_cache_bytes),
    ] {
        let reason = format!("{bytes} is more than {MOST_CACHE} (1 TiB)");
        refuse(bytes > MOST_CACHE, setting, &reason);
    }
    refuse(
        config.database.connections == 0,
        "database.connections",
        "0 is less than 1",
    );
    // PostgreSQL takes 0 milliseconds for no limit.
    let statement_timeout = config.database.statement_timeout;
    refuse(
        statement_timeout < Duration::from_millis(1),
        "database.statement_timeout",
        &format!(
            "{} is shorter than 1ms: every statement needs a limit",
            humantime::format_duration(statement_timeout)
        ),
    );
    for (setting, span) in [
        ("events.keep_undelivered", config.events.keep_undelivered),
        ("events.keep_unfinished_pulls", config.events.keep_unfinished_pulls),
    ] {
        let reason = "must be longer than 0s: events would be deleted before they can be delivered";
        refuse(span.is_zero(), setting, reason);
    }
    let of_resources = config.values.keep_by_resource.iter().map(|of| of.keep);
    let kept = of_resources.map(|keep| ("values.keep_by_resource", keep));
    for (setting, Keep(keep)) in kept.chain([("values.keep", config.values.keep)]) {
        refuse(keep.is_some_and(|keep| keep < DAY), setting, "must be at least 1day");
    }
    let timeout = config.webhooks.timeout;
    refuse(
        timeout.is_zero() || timeout > DAY,
        "webhooks.timeout",
        "must be longer than 0s and at most one day",
    );
    let in_flight = (1..=MOST_IN_FLIGHT).contains(&config.webhooks.in_flight);
    refuse(
        !in_flight,
        "webhooks.in_flight",
        &format!("is not from 1 to {MOST_IN_FLIGHT}"),
    );
    if let Some(reason) = config.linking.check_public_url() {
        refuse(true, "linking.public_url", reason);
    }
    let timeout = config.linking.timeout;
    refuse(
        timeout.is_zero() || timeout > MINUTE,
        "linking.timeout",
        "must be longer than 0s and at most one minute",
    );
    refuse(
        config.linking.refresh_ahead > DAY,
        "linking.refresh_ahead",
        "must be at most one day",
    );
    let both = config.svix.token.is_some() && config.svix.token_file.is_some();
    refuse(
        both,
        "svix.token",
        "is set together with svix.token_file: set one of the two",
    );
    match &config.svix.token {
        Some(token) if token.expose().trim().is_empty() => refuse(true, "svix.token", "is empty"),
        Some(token) => {
            let reason = files::check_svix_token(token).err();
            refuse(reason.is_some(), "svix.token", &reason.unwrap_or_default());
        }
        None => {}
    }
    let tokenless = config.svix.token.is_none() && config.svix.token_file.is_none();
    refuse(
        config.svix.server.is_some() && tokenless,
        "svix.server",
        "has no token: set svix.token or svix.token_file",
    );
    found.extend(limits::check(&config.service.limits));
    let encrypts = config.secret_key_file.is_some() || config.allow_plaintext_secrets;
    found.extend(config.connectors.check(encrypts));
    found.extend(wearlab_http::check(&config.http));
    kinds(&mut found, config);
    log(&mut found, &config.log);
    found
}

/// Checks the settings of kinds of destinations with the code that uses them.
fn kinds(found: &mut Vec<InvalidSetting>, config: &Config) {
    if let Some(server) = &config.svix.server
        && is_built(&DeliveryKind::Svix)
        && let Err(unusable) = wearlab_delivery::svix::check_server(server)
    {
        found.push(InvalidSetting::new("svix.server", unusable.reason));
    }
    let settings = wearlab_delivery::cloud_pubsub::Settings {
        endpoint: config.cloud_pubsub.endpoint.clone(),
        ..Default::default()
    };
    if is_built(&DeliveryKind::CloudPubsub)
        && let Err(unusable) = settings.check()
    {
        found.push(InvalidSetting::new("cloud_pubsub.endpoint", unusable.reason));
    }
}

/// Checks each setting of the log on its own, so that an invalid one hides no other.
fn log(found: &mut Vec<InvalidSetting>, settings: &LogSettings) {
    let filter = LogSettings {
        otlp_endpoint: None,
        ..settings.clone()
    };
    let traces = LogSettings {
        otlp_endpoint: settings.otlp_endpoint.clone(),
        ..LogSettings::default()
    };
    for settings in [filter, traces] {
        let (setting, reason) = match log::to(&settings, std::io::sink) {
            Ok(_) => continue,
            Err(error @ LogError::Filter { .. }) => ("log.filter", error.to_string()),
            #[cfg(not(feature = "otel"))]
            Err(LogError::NoTraces) => {
                let reason = "traces need a build with the feature `otel`";
                ("log.otlp_endpoint", reason.to_owned())
            }
            #[cfg(feature = "otel")]
            Err(LogError::Traces(_)) => {
                let reason = "is not a URL that traces can be sent to";
                ("log.otlp_endpoint", reason.to_owned())
            }
            Err(error) => ("log", error.to_string()),
        };
        found.push(InvalidSetting::new(setting, reason));
    }
}

/// Checks the files that settings name.
pub(super) fn files(config: &Config) -> Vec<InvalidSetting> {
    let mut found = Vec::new();
    let mut check = |setting: &str, file: Option<&Path>, read: fn(&Path) -> Result<(), FileError>| {
        if let Some(path) = file
            && let Err(error) = read(path)
        {
            // In a section of secrets, the secret itself may have been set.
            let reason = match is_secret(setting) {
                true => error.to_string(),
                false => error.of(path),
            };
            found.push(InvalidSetting::new(setting.to_owned(), reason));
        }
    };
    let (database, svix) = (&config.database, &config.svix);
    let keys = |path: &Path| files::secret_keys(path).map(drop);
    if !database.is_set() {
        check("data", Some(&config.data), files::directory);
    }
    check("secret_key_file", config.secret_key_file.as_deref(), keys);
    if database.url.is_none() {
        check("database.url_file", database.url_file.as_deref(), files::database_url);
    }
    for (setting, file) in [
        ("database.authorities_file", &database.authorities_file),
        ("delivery.authorities_file", &config.delivery.authorities_file),
    ] {
        check(setting, file.as_deref(), files::certificates);
    }
    let google = config.cloud_pubsub.credentials_file.as_deref();
    check("cloud_pubsub.credentials_file", google, files::credentials);
    check("svix.token_file", svix.token_file.as_deref(), files::svix_token);
    for (setting, connector) in config.connectors.secret_files() {
        check(&setting, connector, |path| files::secret(path).map(drop));
    }
    found.extend(wearlab_http::check_certificate(&config.http));
    found
}
