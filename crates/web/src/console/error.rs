//! Errors of pages, and the error page.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use maud::html;
use wearlab_models::Problem;
use wearlab_server::ApiError;

use super::document::{self, ROOT};

/// Error of a page or of a form.
pub(super) enum PageError {
    /// Error response of an operation.
    Refused(StatusCode, Box<Problem>),
    /// Error of the page itself, with its text.
    Page(StatusCode, &'static str),
    /// Failure of an action, with its text.
    Outcome(String),
    /// Another page in its place, such as the one for signing in.
    Instead(Box<Response>),
}

impl PageError {
    pub(super) fn refused(status: StatusCode, problem: Problem) -> Self {
        Self::Refused(status, Box::new(problem))
    }

    pub(super) fn not_found() -> Self {
        Self::Page(StatusCode::NOT_FOUND, "Nothing is here.")
    }

    pub(super) fn internal(error: impl std::error::Error + 'static) -> Self {
        tracing::error!(error = &error as &dyn std::error::Error, "a page of the console failed");
        Self::Page(StatusCode::INTERNAL_SERVER_ERROR, "This page failed. The log has more.")
    }

    pub(super) fn too_many_samples() -> Self {
        let text = "There are too many samples in this span. Choose a shorter one.";
        Self::Page(StatusCode::UNPROCESSABLE_ENTITY, text)
    }

    pub(super) fn too_long() -> Self {
        let text = "There is too much to show. Choose a shorter span.";
        Self::Page(StatusCode::UNPROCESSABLE_ENTITY, text)
    }

    pub(super) fn unavailable() -> Self {
        Self::Page(
            StatusCode::SERVICE_UNAVAILABLE,
            "The store is not available at the moment. Load this page again.",
        )
    }

    pub(super) fn is_not_found(&self) -> bool {
        matches!(
            self,
            Self::Refused(StatusCode::NOT_FOUND, _) | Self::Page(StatusCode::NOT_FOUND, _)
        )
    }

    /// Returns the error as text, in a few sentences.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Refused(_, problem) => {
                let mut text = problem.detail.clone().unwrap_or_else(|| format!("{}.", problem.title));
                for violation in &problem.errors {
                    let field = violation.location.trim_start_matches("/body/").replace('/', ".");
                    text.push_str(&format!(" {field}: {}.", violation.message));
                }
                text
            }
            Self::Page(_, text) => (*text).to_owned(),
            Self::Outcome(text) => text.clone(),
            Self::Instead(_) => String::new(),
        }
    }
}

impl From<ApiError> for PageError {
    fn from(error: ApiError) -> Self {
        match error.status() {
            StatusCode::UNAUTHORIZED => {
                Self::Page(StatusCode::UNAUTHORIZED, "The management key is unknown or revoked.")
            }
            StatusCode::NOT_FOUND => Self::not_found(),
            StatusCode::TOO_MANY_REQUESTS => Self::Page(
                StatusCode::TOO_MANY_REQUESTS,
                "The limit of requests of this key is reached.",
            ),
            status if status.is_server_error() => Self::unavailable(),
            status => Self::Page(status, "The request was refused."),
        }
    }
}

impl IntoResponse for PageError {
    fn into_response(self) -> Response {
        let status = match &self {
            Self::Refused(status, _) | Self::Page(status, _) => *status,
            Self::Outcome(_) | Self::Instead(_) => StatusCode::OK,
        };
        if let Self::Instead(response) = self {
            return *response;
        }
        let title = match status {
            StatusCode::NOT_FOUND => "Not found",
            StatusCode::FORBIDDEN => "Not allowed",
            StatusCode::UNAUTHORIZED => "Signed out",
            status if status.is_server_error() => "Not available",
            _ => "Not possible",
        };
        let content = html! {
            p { (self.text()) }
            p { a href=(ROOT) { "Back to the overview" } }
        };
        document::bare(status, title, &content)
    }
}
