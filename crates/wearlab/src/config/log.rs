//! Settings of the log and of traces.

use serde::Deserialize;

/// The log, which goes to standard error, and traces.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section of settings")]
pub struct LogSettings {
    /// What is logged, in the syntax of `RUST_LOG`: a level (`error`, `warn`, `info`, `debug`, `trace`), or levels by
    /// module. At `info`, every request has a line. Default: `info`.
    pub filter: String,
    /// Default: `text`.
    pub format: LogFormat,
    /// The URL that traces are sent to by OTLP over HTTP, such as `http://127.0.0.1:4318/v1/traces`: a span for each
    /// request, whatever `filter` says. Needs a build with the feature `otel`. Default: nowhere.
    pub otlp_endpoint: Option<String>,
}

/// The format of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line, for programs.
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
