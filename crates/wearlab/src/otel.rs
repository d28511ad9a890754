//! OpenTelemetry traces: the spans of the log, one for each request, exported by OTLP over HTTP.

use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{ExporterBuildError, SpanExporter, WithExportConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};
use tracing::Subscriber;
use tracing_opentelemetry::OpenTelemetryLayer;
use tracing_subscriber::registry::LookupSpan;

/// Exports spans on another thread. Dropping it flushes the queue.
pub(crate) struct Traces(SdkTracerProvider);

impl Traces {
    /// # Errors
    ///
    /// If the endpoint is not a URL.
    pub(crate) fn start(endpoint: &str) -> Result<Self, ExporterBuildError> {
        let exporter = SpanExporter::builder().with_http().with_endpoint(endpoint).build()?;
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(Resource::builder().with_service_name("wearlab").build())
            .build();
        Ok(Self(provider))
    }

    pub(crate) fn layer<S: Subscriber + for<'s> LookupSpan<'s>>(&self) -> OpenTelemetryLayer<S, SdkTracer> {
        tracing_opentelemetry::layer().with_tracer(self.0.tracer("wearlab"))
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        if let Err(error) = self.0.shutdown() {
            tracing::warn!(%error, "the last traces were not sent");
        }
    }
}
