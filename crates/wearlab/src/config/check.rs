//! Checks of a configuration beyond the types of its values.

use std::path::Path;
use std::time::Duration;

use super::Config;
use super::files::{self, FileError};
use super::load::Loaded;
use super::log::LogSettings;
use crate::log::{self, LogError};
use crate::serve;

/// The longest timeout of an attempt to send a webhook.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// The largest page cache. A larger one is a mistake, which would grow until the process is killed.
const MOST_CACHE: u64 = 1 << 40;
/// The most concurrent requests to one webhook endpoint.
const MOST_IN_FLIGHT: usize = 1000;

/// Checks the values, and adds their problems. Files are not read.
pub(crate) fn values(loaded: &mut Loaded) {
    let config = loaded.config.clone();
    let mut refuse = |wrong: bool, setting: &str, reason: &str| {
        if wrong {
            loaded.add(setting, reason);
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
    refuse(
        config.store.page_cache_bytes > MOST_CACHE,
        "store.page_cache_bytes",
        &format!("{} is more than {MOST_CACHE} (1 TiB)", config.store.page_cache_bytes),
    );
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
    for wrong in serve::check(&config.http) {
        loaded.add(wrong.key, wrong.reason);
    }
    brokers(loaded, &config);
    log(loaded, &config.log);
}

/// Checks the settings of brokers with the code that uses them.
fn brokers(loaded: &mut Loaded, config: &Config) {
    #[cfg(feature = "svix")]
    if let Some(server) = &config.svix.server
        && let Err(unusable) = wearlab_delivery::svix::check_server(server)
    {
        loaded.add("svix.server", unusable.reason);
    }
    #[cfg(feature = "cloud_pubsub")]
    if let Some(endpoint) = &config.cloud_pubsub.endpoint {
        let settings = wearlab_delivery::cloud_pubsub::Settings {
            endpoint: Some(endpoint.clone()),
            ..Default::default()
        };
        if let Err(unusable) = settings.check() {
            loaded.add("cloud_pubsub.endpoint", unusable.reason);
        }
    }
    #[cfg(not(any(feature = "svix", feature = "cloud_pubsub")))]
    let _ = (loaded, config);
}

/// Checks each setting of the log on its own, so that an invalid one hides no other.
fn log(loaded: &mut Loaded, settings: &LogSettings) {
    let filter = LogSettings {
        otlp_endpoint: None,
        ..settings.clone()
    };
    let traces = LogSettings {
        otlp_endpoint: settings.otlp_endpoint.clone(),
        ..LogSettings::default()
    };
    for settings in [filter, traces] {
        match log::to(&settings, std::io::sink) {
            Ok(_) => {}
            Err(error @ LogError::Filter { .. }) => loaded.add("log.filter", error.to_string()),
            #[cfg(not(feature = "otel"))]
            Err(LogError::NoTraces) => loaded.add("log.otlp_endpoint", "traces need a build with the feature `otel`"),
            #[cfg(feature = "otel")]
            Err(LogError::Traces(_)) => loaded.add("log.otlp_endpoint", "is not a URL that traces can be sent to"),
            Err(error) => loaded.add("log", error.to_string()),
        }
    }
}

/// Checks the files that settings name, and adds their problems.
pub(crate) fn files(loaded: &mut Loaded) {
    let config = loaded.config.clone();
    let mut check = |setting: &str, file: Option<&Path>, read: fn(&Path) -> Result<(), FileError>| {
        if let Some(Err(error)) = file.map(read) {
            loaded.add(setting, error.to_string());
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
    check("cloud_pubsub.credentials_file", google, files::readable);
    check("svix.token_file", svix.token_file.as_deref(), files::svix_token);
    for wrong in serve::check_certificate(&config.http) {
        // An empty name is reported with the values.
        if loaded.problems.iter().all(|known| known.setting != wrong.key) {
            loaded.add(wrong.key, wrong.reason);
        }
    }
}
