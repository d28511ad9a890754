//! Default configuration file, and the names of secret settings.

/// Default configuration with comments.
pub const DEFAULT_FILE: &str = include_str!("wearlab.toml");

/// Settings and sections whose values may be secrets: no message shows them.
const SECRET: [&str; 5] = ["cloud_pubsub", "connectors", "database", "log.otlp_endpoint", "svix"];

/// Returns whether the value of a setting must not be shown.
pub(super) fn is_secret(setting: &str) -> bool {
    SECRET.iter().any(|secret| {
        let rest = setting.strip_prefix(secret);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}
