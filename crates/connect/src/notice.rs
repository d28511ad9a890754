//! Notices that providers send: requests to the address of notices, and their meaning.

use std::borrow::Cow;
use std::fmt;

use chrono::{DateTime, Utc};
use reqwest::Method;
use reqwest::header::HeaderMap;
use serde_json::Value;
use wearlab_models::{ResourceName, Secret};

use crate::span::Span;

/// Request to the address of notices. `Debug` shows neither its query nor its body.
#[derive(Clone, Copy)]
pub struct NoticeRequest<'r> {
    /// Method: GET, HEAD or POST.
    pub method: &'r Method,
    /// Query, without the question mark.
    pub query: &'r str,
    /// Header fields.
    pub headers: &'r HeaderMap,
    /// Body as it was sent, which signatures cover.
    pub body: &'r [u8],
    /// Time at which it was received.
    pub received: DateTime<Utc>,
}

impl NoticeRequest<'_> {
    /// Returns the first value of a parameter of the query.
    pub fn parameter(&self, name: &str) -> Option<Cow<'_, str>> {
        let mut pairs = form_urlencoded::parse(self.query.as_bytes());
        pairs.find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// Returns a header field. None if it is missing, or no text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

impl fmt::Debug for NoticeRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NoticeRequest")
            .field("method", &self.method)
            .finish_non_exhaustive()
    }
}

/// Secrets by which a connector verifies requests.
#[derive(Clone, Debug)]
pub struct NoticeSecrets {
    /// Secret of the client at the provider.
    pub client_secret: Secret,
    /// Tokens that a check of the address may have, the current one first: those of earlier secret keys are accepted, too.
    pub verification_tokens: Vec<Secret>,
}

impl NoticeSecrets {
    /// Returns whether a text is a verification token, in constant time.
    pub fn is_verification_token(&self, text: &str) -> bool {
        is_one_of(text, self.verification_tokens.iter().map(Secret::expose))
    }
}

/// Returns whether a text is one of some secrets, in a time that depends on their lengths alone.
pub(crate) fn is_one_of<'s>(text: &str, secrets: impl Iterator<Item = &'s str>) -> bool {
    use subtle::ConstantTimeEq;
    let equal = secrets.map(|secret| secret.as_bytes().ct_eq(text.as_bytes()));
    equal.fold(subtle::Choice::from(0), |any, equal| any | equal).into()
}

/// Meaning of a request to the address of notices.
#[derive(Clone, Debug, PartialEq)]
pub enum Received {
    /// The connector reads no notices.
    Unsupported,
    /// The provider checks the address: the response that it expects.
    Check(NoticeResponse),
    /// The request is not the provider's, or too old.
    Forged {
        /// The response.
        response: NoticeResponse,
        /// The reason, without a part of the request.
        reason: &'static str,
    },
    /// Verified notices.
    Notices {
        /// The response, once they are stored.
        response: NoticeResponse,
        /// Notices.
        notices: Vec<Notice>,
        /// Number of notices that could not be read. They are answered like the others: the provider would repeat them, or
        /// end its subscription.
        unreadable: usize,
    },
}

/// Response to a request of a provider.
#[derive(Clone, Debug, PartialEq)]
pub struct NoticeResponse {
    /// Status.
    pub status: u16,
    /// JSON of the body. None for an empty one.
    pub body: Option<Value>,
}

impl NoticeResponse {
    /// Creates a response without a body.
    pub fn new(status: u16) -> Self {
        Self { status, body: None }
    }

    /// Creates a response with a JSON body.
    pub fn json(status: u16, body: Value) -> Self {
        Self {
            status,
            body: Some(body),
        }
    }
}

/// Notice about one account at a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The provider's own id of the user.
    pub provider_user_id: String,
    /// The change.
    pub change: Change,
}

/// Document of a provider, which summaries come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Resources of the summaries.
    pub resources: &'static [ResourceName],
    /// The provider's id of the document, which is the `provider_id` of the summaries.
    pub provider_id: String,
}

/// Change of the data or the consent of a user at a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Data are new or changed: a hint to read them.
    Data {
        /// Names of the collections to read.
        collections: &'static [&'static str],
        /// Days of the data, if the notice has them. The last days are read in any case.
        days: Option<Span>,
        /// Document of the data, if the notice has no days: those of its summaries are read.
        document: Option<Document>,
    },
    /// A document is new or changed, and the notice has no days. Those of its summaries are read; if the store has none, that
    /// which the provider's [`day_of`](crate::Provider::day_of) returns.
    Document {
        /// Names of the collections to read. The first one has the document.
        collections: &'static [&'static str],
        /// The document.
        document: Document,
    },
    /// The provider has deleted a document.
    Deleted {
        /// Name of the collection of the document.
        collection: &'static str,
        /// The document.
        document: Document,
    },
    /// The user has ended the consent at the provider.
    Deauthorised {
        /// The time. The consent of a later link holds.
        at: DateTime<Utc>,
    },
}
