//! Fields of a page's form, if it is a form of this session.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::StatusCode;
use maud::{Markup, html};
use subtle::ConstantTimeEq;
use wearlab_linking::random_text;
use wearlab_service::Service;

use super::authenticated_page::{AuthenticatedPage, is_own_form};
use super::error::PageError;

const TOKEN: &str = "form_token";
const ID: &str = "form_id";

/// The fields of a form.
pub(super) struct Fields(Vec<(String, String)>);

impl Fields {
    pub(super) fn of(body: &[u8]) -> Self {
        Self(form_urlencoded::parse(body).into_owned().collect())
    }

    /// Returns a field that is not empty.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    /// Returns the values of a repeated field.
    pub(super) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        let found = self.0.iter().filter(move |(known, _)| known == name);
        found.map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
    }

    /// Returns the lines of a field that are not empty.
    pub(super) fn lines(&self, name: &str) -> Vec<&str> {
        let lines = self.all(name).flat_map(str::lines).map(str::trim);
        lines.filter(|line| !line.is_empty()).collect()
    }

    /// Returns the id of the form, the idempotency key of its request.
    pub(super) fn id(&self) -> Option<&str> {
        self.get(ID)
    }
}

/// A form of a session.
pub(super) struct Form {
    pub(super) auth: AuthenticatedPage,
    pub(super) fields: Fields,
}

impl FromRequest<Arc<Service>> for Form {
    type Rejection = PageError;

    async fn from_request(request: Request, service: &Arc<Service>) -> Result<Self, PageError> {
        let (mut parts, body) = request.into_parts();
        let auth = <AuthenticatedPage as FromRequestParts<_>>::from_request_parts(&mut parts, service).await?;
        let own = is_own_form(&parts.headers);
        let body = Bytes::from_request(Request::from_parts(parts, body), service).await;
        let fields = Fields::of(&body.map_err(PageError::internal)?);
        let token = fields.get(TOKEN).unwrap_or_default();
        let known: bool = token.as_bytes().ct_eq(auth.session.form_token.as_bytes()).into();
        match own && known {
            true => Ok(Self { auth, fields }),
            false => Err(PageError::Page(
                StatusCode::FORBIDDEN,
                "This form is not one of this session. Load the page again.",
            )),
        }
    }
}

/// Hidden fields of every form.
pub(super) fn hidden(auth: &AuthenticatedPage) -> Markup {
    html! {
        input type="hidden" name=(TOKEN) value=(auth.session.form_token);
        input type="hidden" name=(ID) value=(random_text());
    }
}

/// Renders a form that is a button.
pub(super) fn button(auth: &AuthenticatedPage, action: &str, text: &str, label: &str) -> Markup {
    html! {
        form.inline method="post" action=(action) {
            (hidden(auth))
            button type="submit" aria-label=[(label != text).then_some(label)] { (text) }
        }
    }
}

/// Renders a button for something that cannot be undone, behind a confirmation.
pub(super) fn dangerous(auth: &AuthenticatedPage, action: &str, text: &str, label: &str, warning: &str) -> Markup {
    html! {
        details.confirm {
            summary aria-label=(label) { (text) }
            form method="post" action=(action) {
                (hidden(auth))
                p { (warning) }
                button.danger type="submit" { (label) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Fields;

    #[test]
    fn fields_are_what_was_filled_in() {
        let fields = Fields::of(b"name=+a%20b+&scope=read&scope=admin&empty=&lines=x%0D%0A%0D%0Ay");
        assert_eq!(fields.get("name"), Some("a b"));
        assert_eq!(fields.get("empty"), None);
        assert_eq!(fields.get("other"), None);
        assert_eq!(fields.all("scope").collect::<Vec<_>>(), ["read", "admin"]);
        assert_eq!(fields.lines("lines"), ["x", "y"]);
    }
}
