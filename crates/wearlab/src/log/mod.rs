//! Starts the log, and traces if the build and the settings have them.

mod in_request;
mod lines;

use std::io;
use std::panic::{self, PanicHookInfo};

use prometheus_client::metrics::counter::Counter;
use tracing::Dispatch;
use tracing::dispatcher::{SetGlobalDefaultError, set_global_default};
use tracing_subscriber::filter::{FilterExt, filter_fn};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{EnvFilter, Layer, fmt, registry};
use wearlab_server::layers::REQUEST_SPAN;

use self::in_request::InRequest;
use crate::config::log::{LogFormat, LogSettings};

/// Error of starting the log.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The filter is invalid.
    #[error("invalid log filter {filter:?}: expected one such as \"info\" or \"warn,wearlab=debug\"")]
    Filter {
        /// The invalid text.
        filter: String,
    },
    /// The build does not support traces.
    #[cfg(not(feature = "otel"))]
    #[error("log.otlp_endpoint: traces need a build with the feature \"otel\"")]
    NoTraces,
    /// Traces cannot be sent.
    #[cfg(feature = "otel")]
    #[error("log.otlp_endpoint: {0}")]
    Traces(#[from] opentelemetry_otlp::ExporterBuildError),
    /// The writer thread cannot be started.
    #[error("cannot start the thread that writes the log")]
    Thread(#[source] io::Error),
    /// The process has another log already.
    #[error("the log is already started")]
    Started(#[from] SetGlobalDefaultError),
}

/// Guard of the log. Dropping it writes the remaining lines and sends the remaining traces. It waits for standard error
/// for two seconds at most.
#[must_use = "the log ends when it is dropped"]
pub struct Log {
    #[cfg(feature = "otel")]
    _traces: Option<crate::otel::Traces>,
    /// Dropped after the traces, which may log.
    _writing: Option<lines::Writing>,
}

/// Starts the log of this process, on standard error. Panics are logged. Logging never blocks: if standard error is not
/// read or fails, lines are dropped and counted.
///
/// # Errors
///
/// If the settings are invalid, or the process has a log already.
pub fn start(settings: &LogSettings) -> Result<Log, LogError> {
    let (lines, writing) = lines::to(io::stderr()).map_err(LogError::Thread)?;
    let (dispatch, mut log) = to(settings, lines)?;
    log._writing = Some(writing);
    set_global_default(dispatch)?;
    panic::set_hook(Box::new(report));
    Ok(log)
}

/// Returns the counter of dropped lines of this process's log.
pub(crate) fn dropped_lines() -> Counter {
    lines::DROPPED.clone()
}

/// Logs the location of a panic, with the context of its request. The message is omitted, since it may contain secrets
/// or health data.
fn report(panic: &PanicHookInfo<'_>) {
    let at = panic.location().map(tracing::field::display);
    tracing::error!(at, "panicked");
}

/// Creates a log with another writer, to be set as the default of a thread or of the process.
///
/// # Errors
///
/// If the settings are invalid.
pub fn to<W>(settings: &LogSettings, writer: W) -> Result<(Dispatch, Log), LogError>
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let filter = EnvFilter::try_new(&settings.filter).map_err(|_| LogError::Filter {
        filter: settings.filter.clone(),
    })?;
    // An error in formatting a line is not reported on standard error.
    let lines = fmt::layer().with_writer(writer).log_internal_errors(false);
    let lines = match settings.format {
        LogFormat::Text => lines.map_event_format(InRequest::text).boxed(),
        LogFormat::Json => {
            let lines = lines.json().flatten_event(true).with_span_list(false);
            lines.map_event_format(InRequest::json).boxed()
        }
    };
    // Lines have the context of their request without a span for each.
    let needless = filter_fn(|metadata| metadata.target() != REQUEST_SPAN);
    let lines = registry().with(lines.with_filter(filter.and(needless)));

    #[cfg(feature = "otel")]
    {
        let traces = settings.otlp_endpoint.as_deref().map(crate::otel::Traces::start);
        let traces = traces.transpose()?;
        // Only spans of this service: sending traces has spans, too.
        let own = EnvFilter::new("off,wearlab=info");
        let layer = traces.as_ref().map(|traces| traces.layer().with_filter(own));
        Ok((
            Dispatch::new(lines.with(layer)),
            Log {
                _traces: traces,
                _writing: None,
            },
        ))
    }
    #[cfg(not(feature = "otel"))]
    {
        if settings.otlp_endpoint.is_some() {
            return Err(LogError::NoTraces);
        }
        Ok((Dispatch::new(lines), Log { _writing: None }))
    }
}
