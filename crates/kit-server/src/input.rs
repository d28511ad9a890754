//! Reads a request by the document's rules, and collects the violations.

use std::borrow::Cow;
use std::convert::Infallible;

use axum::body::{Bytes, HttpBody};
use axum::extract::{FromRequest, FromRequestParts, RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, Uri};
use percent_encoding::percent_decode_str;
use wearlab_kit_types::Violation;
use wearlab_kit_types::carrier::{Carrier, HasCarrier};
use wearlab_kit_types::{multipart, segment};

use crate::credentials::{self, Basic, Sent};
use crate::field::{At, Field};
use crate::list::List;
use crate::query::pairs;
use crate::scope::{self, Owner};
use crate::{ApiError, Document, HeaderPrefix, Operation};

/// A request, as generated handlers read it.
pub struct Input {
    path: PathParameters,
    /// Parameters of segments with text beside them.
    split: Vec<(String, String)>,
    uri: Uri,
    headers: HeaderMap,
    prefix: HeaderPrefix,
    pub(crate) body: Received,
    /// Error of a refused credential, until an alternative is accepted.
    refused: Option<ApiError>,
    pub(crate) violations: Vec<Violation>,
}

/// The parameters in the path.
enum PathParameters {
    /// Parameters as the router has them.
    Routed(RawPathParams),
    /// Parameters at the places where the route has their names.
    OfRoute(&'static str),
    /// A parameter is not UTF-8: the router does not report which.
    Malformed,
}

impl PathParameters {
    /// The value of a parameter, decoded.
    fn get<'a>(&'a self, name: &str, path: &'a str) -> Option<Cow<'a, str>> {
        match self {
            Self::Routed(all) => {
                let found = all.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| Cow::Borrowed(value))
            }
            Self::OfRoute(route) => {
                let mut segments = route.split('/').zip(path.split('/'));
                let is_it =
                    |segment: &str| segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) == Some(name);
                let (_, value) = segments.find(|(segment, _)| is_it(segment))?;
                percent_decode_str(value).decode_utf8().ok()
            }
            Self::Malformed => None,
        }
    }
}

/// The body of a request.
pub(crate) enum Received {
    /// A body that was not read yet.
    Unread(Box<Request>),
    /// A whole body.
    Whole(Bytes),
    /// A body of parts.
    Parts(multipart::Received),
    /// A body with invalid syntax for its media type.
    Malformed(String),
}

impl<S: Send + Sync> FromRequest<S> for Input {
    type Rejection = Infallible;

    async fn from_request(request: Request, state: &S) -> Result<Self, Infallible> {
        let (mut parts, body) = request.into_parts();
        let path = RawPathParams::from_request_parts(&mut parts, state).await;
        let path = path.map_or(PathParameters::Malformed, PathParameters::Routed);
        // Its extensions hold the limit of the body.
        Ok(Self::new(path, parts, |parts| {
            Received::Unread(Box::new(Request::from_parts(parts, body)))
        }))
    }
}

impl Input {
    /// A request to a route whose parameters no router has read.
    pub fn of_route(route: &'static str, request: Request) -> Self {
        let text = percent_decode_str(request.uri().path()).decode_utf8();
        let path = match text {
            Ok(_) => PathParameters::OfRoute(route),
            Err(_) => PathParameters::Malformed,
        };
        let (parts, body) = request.into_parts();
        // Few reads have a body.
        Self::new(path, parts, |parts| match body.is_end_stream() {
            true => Received::Whole(Bytes::new()),
            false => Received::Unread(Box::new(Request::from_parts(parts, body))),
        })
    }

    fn new(path: PathParameters, mut parts: Parts, body: impl FnOnce(Parts) -> Received) -> Self {
        Self {
            path,
            split: Vec::new(),
            uri: parts.uri.clone(),
            headers: std::mem::take(&mut parts.headers),
            prefix: parts.extensions.remove::<HeaderPrefix>().unwrap_or_default(),
            body: body(parts),
            refused: None,
            violations: Vec::new(),
        }
    }

    fn sent(&self) -> Sent<'_> {
        Sent {
            headers: &self.headers,
            query: self.raw_query(),
            prefix: &self.prefix,
        }
    }

    /// The query as it was sent.
    pub fn raw_query(&self) -> &str {
        raw_query(&self.uri)
    }

    /// The single value of a parameter in the query, and the collector of violations.
    pub fn single_query(&mut self, name: &'static str) -> (Single<'_>, &mut Vec<Violation>) {
        (single(pairs(raw_query(&self.uri), name)), &mut self.violations)
    }

    /// Fails unless the credentials of one of the operation's alternatives are present.
    pub fn require<D: Document>(&self, operation: &Operation<D>) -> Result<(), ApiError> {
        self.sent().require(operation)
    }

    /// A credential that every alternative of the operation requires.
    pub fn credential(&self, credential: impl HasCarrier) -> Result<Cow<'_, str>, ApiError> {
        let found = self.optional_credential(credential)?;
        found.ok_or_else(|| self.lacks(credential))
    }

    /// A credential that some alternatives of the operation require.
    pub fn optional_credential(&self, credential: impl HasCarrier) -> Result<Option<Cow<'_, str>>, ApiError> {
        self.sent().find(credential)
    }

    /// User and password that every alternative of the operation requires.
    pub fn basic(&self, credential: impl HasCarrier) -> Result<Basic, ApiError> {
        let found = self.optional_basic(credential)?;
        found.ok_or_else(|| self.lacks(credential))
    }

    /// User and password that some alternatives of the operation require.
    pub fn optional_basic(&self, credential: impl HasCarrier) -> Result<Option<Basic>, ApiError> {
        self.sent().basic(credential)
    }

    fn lacks(&self, credential: impl HasCarrier) -> ApiError {
        let wanted = credentials::described(credential, &self.prefix);
        ApiError::unauthorized(match credential.carrier() {
            Carrier::Header(_) => format!("Send the header {wanted}."),
            _ => format!("Send {wanted}."),
        })
    }

    /// The owner of a credential that shares its place in the request with another one: it may be the other.
    pub fn accept<T>(&mut self, owner: Result<T, ApiError>) -> Result<Option<T>, ApiError> {
        match owner {
            Ok(owner) => Ok(Some(owner)),
            Err(error) if error.status() == StatusCode::UNAUTHORIZED => {
                self.refused.get_or_insert(error);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Fails unless the owners have the scopes of one of the operation's alternatives.
    pub fn permit<D: Document>(
        &mut self,
        operation: &Operation<D>,
        owners: &[Owner<'_, D::Credential>],
    ) -> Result<(), ApiError> {
        if scope::permit(operation, owners)? {
            return Ok(());
        }
        let refused = self.refused.take();
        Err(refused.unwrap_or_else(|| self.sent().missing(operation)))
    }

    /// Splits a segment of the path that has text beside parameters; `name` is that of its capture.
    ///
    /// # Errors
    ///
    /// 404 for a segment that is another one.
    pub fn split(&mut self, name: &str, template: &'static str) -> Result<(), ApiError> {
        let Some(segment) = self.path.get(name, self.uri.path()) else {
            return Ok(());
        };
        let values = segment::split(template, &segment).ok_or_else(ApiError::unknown_path)?;
        self.split
            .extend(values.into_iter().map(|(name, value)| (name.to_owned(), value)));
        Ok(())
    }

    /// A parameter in the path.
    pub fn path(&mut self, name: &'static str) -> Field<'_> {
        let split = self.split.iter().find(|(known, _)| known == name);
        let value = match (&self.path, split) {
            (PathParameters::Malformed, _) => Err(("malformed", "must be UTF-8 text".to_owned())),
            (_, Some((_, value))) => Ok(Some(Cow::Borrowed(value.as_str()))),
            (path, None) => Ok(path.get(name, self.uri.path())),
        };
        Field::new(&mut self.violations, "path", name, value)
    }

    /// A parameter in the query.
    pub fn query(&mut self, name: &'static str) -> Field<'_> {
        let (value, violations) = self.single_query(name);
        Field::new(violations, "query", name, value)
    }

    /// A parameter in the query that has several names. Violations name the first one.
    pub fn query_of(&mut self, names: &'static [&'static str]) -> Field<'_> {
        let query = raw_query(&self.uri);
        let value = agreed(names, |name| single(pairs(query, name)));
        Field::new(&mut self.violations, "query", names[0], value)
    }

    /// A list in the query, whose parameter is repeated for each item.
    pub fn query_all(&mut self, name: &'static str) -> List<'_> {
        let texts = pairs(self.raw_query(), name).map(|text| text.map(Cow::into_owned));
        let texts: Option<Vec<String>> = texts.collect();
        let mut at = At::of(&mut self.violations, "query", name);
        match texts {
            Some(texts) if texts.is_empty() => List::new(at, None, false),
            Some(texts) => List::new(at, Some(texts), false),
            None => {
                at.note("malformed", "must be UTF-8 text");
                List::new(at, None, true)
            }
        }
    }

    /// A parameter in a cookie.
    pub fn cookie(&mut self, name: &'static str) -> Field<'_> {
        let values = credentials::cookies(&self.headers, name);
        let value = single(values);
        Field::new(&mut self.violations, "cookie", name, value)
    }

    /// A parameter in a header.
    pub fn header(&mut self, name: &'static str) -> Field<'_> {
        let values = self.headers.get_all(name).iter();
        let value = single(values.map(|value| value.to_str().ok()));
        Field::new(&mut self.violations, "header", name, value)
    }

    /// A parameter in a header that has several names. Violations name the first one.
    pub fn header_of(&mut self, names: &'static [&'static str]) -> Field<'_> {
        let value = agreed(names, |name| {
            let values = self.headers.get_all(name).iter();
            single(values.map(|value| value.to_str().ok().map(Cow::Borrowed)))
        });
        Field::new(&mut self.violations, "header", names[0], value)
    }

    /// The headers of the request.
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The error that names every violation.
    pub fn invalid(self) -> ApiError {
        match self.body {
            Received::Malformed(detail) => ApiError::bad_request(detail),
            _ => ApiError::invalid(self.violations),
        }
    }
}

fn raw_query(uri: &Uri) -> &str {
    uri.query().unwrap_or_default()
}

/// The single value of a parameter, or the code and message of its violation.
pub(crate) type Single<'a> = Result<Option<Cow<'a, str>>, (&'static str, String)>;

/// Returns the only value, or the code and message of the violation.
pub(crate) fn single<T>(mut values: impl Iterator<Item = Option<T>>) -> Result<Option<T>, (&'static str, String)> {
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(None), _) => Err(("malformed", "must be UTF-8 text".to_owned())),
        (Some(value), None) => Ok(value),
        (Some(_), Some(_)) => Err(("repeated", "must be given once".to_owned())),
    }
}

/// The value of a parameter that has several names: those that are sent must agree.
fn agreed<'a>(names: &'static [&'static str], value_of: impl Fn(&'static str) -> Single<'a>) -> Single<'a> {
    let mut found: Option<(&str, Cow<'a, str>)> = None;
    for name in names {
        match (value_of(name)?, &found) {
            (Some(value), Some((first, known))) if value != *known => {
                let message =
                    format!("`{first}` and `{name}` are names of one parameter, and their values differ: send one");
                return Err(("conflicting", message));
            }
            (Some(value), None) => found = Some((name, value)),
            _ => {}
        }
    }
    Ok(found.map(|(_, value)| value))
}
