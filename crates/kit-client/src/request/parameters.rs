//! The parameters of a call: in the path, the query, headers and cookies.

use std::borrow::Cow;
use std::fmt::Display;

use reqwest::header::{COOKIE, HeaderName, HeaderValue};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use super::Request;
use crate::Document;
use crate::credentials::cookie;

impl<D: Document> Request<'_, D> {
    /// The next parameter of the path.
    pub fn path(mut self, value: impl Display) -> Self {
        self.path.push(value.to_string());
        self
    }

    /// A parameter in the query.
    pub fn query(mut self, name: &'static str, value: Option<impl Display>) -> Self {
        self.query
            .extend(value.map(|value| (Cow::Borrowed(name), value.to_string())));
        self
    }

    /// A list in the query, whose parameter is repeated for each item.
    pub fn query_all(mut self, name: &'static str, list: Option<Vec<String>>) -> Self {
        let items = list.into_iter().flatten();
        self.query.extend(items.map(|item| (Cow::Borrowed(name), item)));
        self
    }

    /// The next parameter of the path, a list.
    pub fn path_list(mut self, name: &'static str, separator: char, list: Option<Vec<String>>) -> Self {
        let text = self.joined(name, separator, list);
        self.path(text.unwrap_or_default())
    }

    /// A list in the query, as one text.
    pub fn query_list(mut self, name: &'static str, separator: char, list: Option<Vec<String>>) -> Self {
        let text = self.joined(name, separator, list);
        self.query(name, text)
    }

    /// An object in the query, whose members are `name[member]`.
    pub fn query_object<T: Serialize>(mut self, name: &'static str, value: Option<&T>) -> Self {
        let members = self.members(name, value).into_iter();
        self.query
            .extend(members.map(|(member, text)| (format!("{name}[{member}]").into(), text)));
        self
    }

    /// An object in the query, whose members are parameters of their own.
    pub fn query_members<T: Serialize>(mut self, value: Option<&T>) -> Self {
        let members = self.members("query", value).into_iter();
        self.query.extend(members.map(|(member, text)| (member.into(), text)));
        self
    }

    /// A value in the query, as JSON.
    pub fn query_json<T: Serialize>(mut self, name: &'static str, value: Option<&T>) -> Self {
        match value.map(serde_json::to_string).transpose() {
            Ok(text) => self.query(name, text),
            // The error is dropped: it may repeat the value.
            Err(_) => {
                self.complain(format!("{name}: the value cannot be encoded"));
                self
            }
        }
    }

    /// The members of a flat object, as texts.
    fn members<T: Serialize>(&mut self, name: &str, value: Option<&T>) -> Vec<(String, String)> {
        let Some(value) = value else { return Vec::new() };
        let members = match serde_json::to_value(value) {
            Ok(Value::Object(members)) => {
                let given = members.into_iter().filter(|(_, value)| !value.is_null());
                given.map(|(member, value)| Some((member, text(value)?))).collect()
            }
            _ => None,
        };
        members.unwrap_or_else(|| {
            self.complain(format!("{name}: the value cannot be encoded"));
            Vec::new()
        })
    }

    /// A list in a header, as one text.
    pub fn header_list(mut self, name: &'static str, separator: char, list: Option<Vec<String>>) -> Self {
        let text = self.joined(name, separator, list);
        self.header(name, text)
    }

    /// A list in a cookie, as one text.
    pub fn cookie_list(mut self, name: &'static str, separator: char, list: Option<Vec<String>>) -> Self {
        let text = self.joined(name, separator, list);
        self.cookie(name, text)
    }

    /// The items of a list as one text. None if it is empty.
    fn joined(&mut self, name: &str, separator: char, list: Option<Vec<String>>) -> Option<String> {
        let list = list.filter(|list| !list.is_empty())?;
        if list.iter().any(|item| item.contains(separator)) {
            self.complain(format!(
                "{name}: an item contains `{separator}`, which separates the items"
            ));
            return None;
        }
        Some(list.join(&separator.to_string()))
    }

    /// A parameter in a cookie.
    pub fn cookie(mut self, name: &'static str, value: Option<impl Display>) -> Self {
        if let Some(value) = value
            && let Ok(mut cookies) = HeaderValue::try_from(cookie(&self.headers, name, &value.to_string()))
        {
            cookies.set_sensitive(true);
            self.headers.insert(COOKIE, cookies);
        }
        self
    }

    /// A parameter in a header.
    pub fn header(mut self, name: &'static str, value: Option<impl Display>) -> Self {
        let Some(value) = value else { return self };
        match (HeaderName::try_from(name), HeaderValue::try_from(value.to_string())) {
            (Ok(name), Ok(value)) => drop(self.headers.insert(name, value)),
            _ => self.complain(format!("{name}: the value is not printable ASCII")),
        }
        self
    }

    /// The header that marks all attempts of a call as the same, so that the call may be retried. Without a value, the
    /// call gets one of its own.
    pub fn idempotency_key(mut self, name: &'static str, value: Option<impl Display>) -> Self {
        let key = value.map_or_else(|| Uuid::new_v4().to_string(), |value| value.to_string());
        self.has_key = true;
        self.header(name, Some(key))
    }
}

/// The text of a scalar.
fn text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
