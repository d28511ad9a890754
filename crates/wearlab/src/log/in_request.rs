//! Format of lines that are written while a request is handled: with the context of the request.

use std::fmt;

use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;
use wearlab_server::layers::RequestContext;

/// Wraps a format of lines, and appends the context of the request.
pub(super) struct InRequest<F> {
    format: F,
    end: fn(&RequestContext, &mut String),
}

impl<F> InRequest<F> {
    pub(super) fn text(format: F) -> Self {
        Self { format, end: end_text }
    }

    pub(super) fn json(format: F) -> Self {
        Self { format, end: end_json }
    }
}

impl<S, N, F> FormatEvent<S, N> for InRequest<F>
where
    S: Subscriber + for<'s> LookupSpan<'s>,
    N: for<'w> FormatFields<'w> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, mut writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let Some(request) = RequestContext::current(RequestContext::clone) else {
            return self.format.format_event(context, writer, event);
        };
        let mut line = String::new();
        self.format.format_event(context, Writer::new(&mut line), event)?;
        line.truncate(line.trim_end_matches('\n').len());
        (self.end)(&request, &mut line);
        writeln!(writer, "{line}")
    }
}

/// Appends the context as fields of a text line.
fn end_text(request: &RequestContext, line: &mut String) {
    let RequestContext {
        request_id,
        method,
        route,
        operation,
    } = request;
    line.push_str(&format!(" request_id={request_id} method={method:?}"));
    for (name, value) in [("route", route.as_deref()), ("operation", *operation)] {
        if let Some(value) = value {
            line.push_str(&format!(" {name}={value:?}"));
        }
    }
}

/// Appends the context as members of the line's object.
fn end_json(request: &RequestContext, line: &mut String) {
    if let (Ok(members), Some('}')) = (serde_json::to_string(request), line.pop()) {
        line.push(',');
        line.push_str(&members[1..]);
    }
}
