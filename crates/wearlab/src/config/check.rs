//! What can be wrong with a configuration beyond the shape of its values.

use std::path::Path;
use std::time::Duration;

use wearlab_models::Secret;

use super::files::{self, FileError};
use super::load::Loaded;
use crate::log::{self, LogError};
use crate::serve;

/// The longest time that an attempt to send a webhook may take.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// The most requests to one webhook endpoint at once.
const MOST_IN_FLIGHT: usize = 1000;

/// Checks the values, and adds what is wrong with them. Files are left alone.
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
        "is a URL, not a directory: the URL of a database is `database.url`",
    );
    let empty = |secret: &Option<Secret>| secret.as_ref().is_some_and(|secret| secret.expose().trim().is_empty());
    refuse(empty(&config.database.url), "database.url", "is empty");
    refuse(
        config.database.connections == 0,
        "database.connections",
        "0 is not 1 or more",
    );
    // To the server, 0 milliseconds are no limit.
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
        let reason = "0s is not longer than 0s: it would be deleted before it can be delivered";
        refuse(span.is_zero(), setting, reason);
    }
    let timeout = config.webhooks.timeout;
    refuse(
        timeout.is_zero() || timeout > DAY,
        "webhooks.timeout",
        "is not longer than 0s and up to one day",
    );
    let in_flight = (1..=MOST_IN_FLIGHT).contains(&config.webhooks.in_flight);
    refuse(
        !in_flight,
        "webhooks.in_flight",
        &format!("is not from 1 to {MOST_IN_FLIGHT}"),
    );
    let both = config.svix.token.is_some() && config.svix.token_file.is_some();
    refuse(both, "svix.token", "is set besides svix.token_file: set one of the two");
    refuse(empty(&config.svix.token), "svix.token", "is empty");
    let tokenless = config.svix.token.is_none() && config.svix.token_file.is_none();
    refuse(
        config.svix.server.is_some() && tokenless,
        "svix.server",
        "has no token: set svix.token or svix.token_file",
    );
    for wrong in serve::check(&config.http) {
        loaded.add(wrong.key, wrong.reason);
    }
    match log::to(&config.log, std::io::sink) {
        Ok(_) => {}
        Err(error @ LogError::Filter { .. }) => loaded.add("log.filter", error.to_string()),
        #[cfg(not(feature = "otel"))]
        Err(LogError::NoTraces) => loaded.add("log.otlp_endpoint", "traces need a build with the feature `otel`"),
        #[cfg(feature = "otel")]
        Err(LogError::Traces(_)) => loaded.add("log.otlp_endpoint", "is no URL that traces can be sent to"),
        Err(error) => loaded.add("log", error.to_string()),
    }
}

/// Checks the files that settings name, and adds what is wrong with them.
pub(crate) fn files(loaded: &mut Loaded) {
    let config = loaded.config.clone();
    let mut check = |setting: &str, file: Option<&Path>, read: fn(&Path) -> Result<(), FileError>| {
        if let Some(Err(error)) = file.map(read) {
            loaded.add(setting, error.to_string());
        }
    };
    let (database, svix) = (&config.database, &config.svix);
    let keys = |path: &Path| files::secret_keys(path).map(drop);
    let secret = |path: &Path| files::secret(path).map(drop);
    check("secret_key_file", config.secret_key_file.as_deref(), keys);
    if database.url.is_none() {
        check("database.url_file", database.url_file.as_deref(), secret);
    }
    for (setting, file) in [
        ("database.authorities_file", &database.authorities_file),
        ("delivery.authorities_file", &config.delivery.authorities_file),
    ] {
        check(setting, file.as_deref(), files::certificates);
    }
    let google = config.cloud_pubsub.credentials_file.as_deref();
    check("cloud_pubsub.credentials_file", google, files::readable);
    check("svix.token_file", svix.token_file.as_deref(), secret);
    if let Err(wrong) = serve::check_certificate(&config.http) {
        loaded.add(wrong.key, wrong.reason);
    }
}
