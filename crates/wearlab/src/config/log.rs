//! Settings of the log and of traces.

use serde::Deserialize;

/// Log on standard error, and traces.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section of settings")]
pub struct LogSettings {
    /// Filter of log lines, in the syntax of `RUST_LOG`: a level (`error`, `warn`, `info`, `debug`, `trace`), or levels
    /// by module. At `info`, every request has a line. Default: `info`.
    pub filter: String,
    /// Format of the log. Default: `text`.
    pub format: LogFormat,
    /// URL of a collector of traces, by OTLP over HTTP, such as `http://127.0.0.1:4318/v1/traces`: a span for each
    /// request, regardless of `filter`. Needs a build with the feature `otel`. Default: nowhere.
    pub otlp_endpoint: Option<String>,
}

/// Format of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// Text, for people.
    #[default]
    Text,
    /// JSON, one object a line, for programs.
    Json,
}

impl Default for LogSettings {
    fn default() -> Self {
        Self {
            filter: "info".to_owned(),
            format: LogFormat::Text,
            otlp_endpoint: None,
        }
    }
}
