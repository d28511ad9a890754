//! Starts the log, and traces where the build and the settings have them.

use std::io;

use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};
use tracing_subscriber::{EnvFilter, Layer, fmt};

use crate::config::log::{LogFormat, LogSettings};

/// Why there is no log.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The filter cannot be read.
    #[error("{filter:?} is no log filter, such as \"info\" or \"warn,wearlab=debug\"")]
    Filter {
        /// The text that was given.
        filter: String,
    },
    /// Traces are wanted of a build that has none.
    #[error("traces need a build with the feature \"otel\"")]
    NoTraces,
    /// Traces cannot be sent.
    #[cfg(feature = "otel")]
    #[error("cannot send traces: {0}")]
    Traces(#[from] opentelemetry_otlp::ExporterBuildError),
    /// Something else keeps the log of this process.
    #[error("the log was started before")]
    Started(#[from] TryInitError),
}

/// Keeps traces going: those that were not sent yet are sent when it is dropped.
#[must_use = "traces end when it is dropped"]
pub struct Log {
    #[cfg(feature = "otel")]
    _traces: Option<crate::otel::Traces>,
}

/// Starts the log of this process, on standard error.
///
/// # Errors
///
/// Where the settings cannot be, or the process has a log already.
pub fn start(settings: &LogSettings) -> Result<Log, LogError> {
    let filter = EnvFilter::try_new(&settings.filter).map_err(|_| LogError::Filter {
        filter: settings.filter.clone(),
    })?;
    let lines = fmt::layer().with_writer(io::stderr);
    let lines = match settings.format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines.json().flatten_event(true).with_span_list(false).boxed(),
    };
    let log = tracing_subscriber::registry().with(filter).with(lines);

    #[cfg(feature = "otel")]
    {
        let traces = settings
            .otlp_endpoint
            .as_deref()
            .map(crate::otel::Traces::start)
            .transpose()?;
        log.with(traces.as_ref().map(crate::otel::Traces::layer)).try_init()?;
        Ok(Log { _traces: traces })
    }
    #[cfg(not(feature = "otel"))]
    {
        if settings.otlp_endpoint.is_some() {
            return Err(LogError::NoTraces);
        }
        log.try_init()?;
        Ok(Log {})
    }
}
