//! What a JSON value must be by the document, as tables that are generated, and the check that notes every violation.

#![allow(
    dead_code,
    unused_imports,
    clippy::allow_attributes,
    reason = "the document decides what is needed"
)]

mod check;
mod limits;
mod nul;
mod spelling;

pub(crate) use check::{Violated, step, violations};
pub(crate) use limits::{Bounds, Size, TextRule, Wrong};
pub(crate) use nul::{check as check_nul, violations as nul_violations};
pub(crate) use spelling::{is_without_offset, normalise};

pub(crate) use std::net::{Ipv4Addr, Ipv6Addr};

use serde_json::Value as JsonValue;
use wearlab_models::form;
pub(crate) use wearlab_models::{DateTime, NaiveDate, Uuid};

use crate::parameter::Parameter;

/// What a value must be.
pub(crate) enum Rule {
    Any,
    Boolean,
    Text(TextRule),
    /// A file, of so many bytes.
    File(Size),
    /// A text that is read as a type of its own, by [`parsed`].
    Parsed(fn(&str) -> Result<(), String>),
    /// A time.
    DateTime,
    /// One of these texts.
    Choice(&'static [&'static str]),
    Integer(Bounds<i128>),
    Number(Bounds<f64>),
    List(&'static Self, Size),
    /// An object with free members: what their names and their values are.
    Map(&'static Self, &'static Self, Size),
    /// An object with these members, and others.
    Object(&'static [Member], Others, Size),
    /// What the text of a member says. Other texts are those of types that are not known yet.
    Tagged(&'static str, &'static [(&'static [&'static str], Self)]),
    /// What one of them describes.
    OneOf(&'static [Self]),
    /// What exactly one of them describes.
    ExactlyOne(&'static [Self]),
    Nullable(&'static Self),
    /// A member that requests may send under other names.
    Aliased(&'static [&'static str], &'static Self),
    /// A rule that stands elsewhere.
    See(&'static Self),
}

/// A member of an object: its name, whether it must be there, and its value.
pub(crate) struct Member(pub(crate) &'static str, pub(crate) Presence, pub(crate) Rule);

/// Whether a member must be there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    Required,
    Optional,
    /// Null is the same as nothing.
    OrNull,
}

/// The members of an object that the document does not name.
pub(crate) enum Others {
    Allowed,
    Refused,
    /// Values of this rule.
    Of(&'static Rule),
}

/// Whether a text is read as a type.
pub(crate) fn parsed<T: Parameter>(text: &str) -> Result<(), String> {
    T::read(text).map(drop)
}

impl Rule {
    /// The other names of a member that has this rule.
    pub(crate) fn aliases(&self) -> &'static [&'static str] {
        match self {
            Self::Aliased(aliases, _) => aliases,
            _ => &[],
        }
    }

    /// The rule of a member of an object.
    pub(crate) fn member(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members, others, _) => {
                let named = members.iter().find(|Member(known, ..)| *known == name);
                match (named, others) {
                    (Some(Member(.., rule)), _) => Some(rule),
                    (None, Others::Of(rule)) => Some(rule),
                    _ => None,
                }
            }
            Self::Map(_, values, _) => Some(values),
            Self::See(rule) | Self::Nullable(rule) | Self::Aliased(_, rule) => rule.member(name),
            _ => None,
        }
    }

    /// The JSON value that a value of a form stands for, whose scalars are texts and whose lists may be objects with
    /// numbers. A text that is no value of its rule stays one. Of several types, texts come first.
    pub(crate) fn of_texts(&self, value: JsonValue) -> JsonValue {
        let fits = |value: &JsonValue, rule: &Self| violations(value, rule).is_empty();
        match (self, value) {
            (Self::See(rule) | Self::Nullable(rule) | Self::Aliased(_, rule), value) => rule.of_texts(value),
            (Self::Any, value) => form::of(&value).unwrap_or(value),
            (Self::Map(_, values, _), JsonValue::Object(found)) => {
                let members = found.into_iter().map(|(name, value)| (name, values.of_texts(value)));
                JsonValue::Object(members.collect())
            }
            (Self::Object(..), JsonValue::Object(found)) => {
                let members = found.into_iter().map(|(name, value)| {
                    let value = self.member(&name).unwrap_or(&Self::Any).of_texts(value);
                    (name, value)
                });
                JsonValue::Object(members.collect())
            }
            (Self::List(items, _), value) => match form::list(value) {
                Ok(list) => list.into_iter().map(|item| items.of_texts(item)).collect(),
                Err(value) => value,
            },
            (Self::Tagged(property, choices), value) => {
                let tag = value[*property].as_str().unwrap_or_default();
                match choices.iter().find(|(tags, _)| tags.contains(&tag)) {
                    Some((_, rule)) => rule.of_texts(value),
                    None => value,
                }
            }
            (Self::OneOf(rules) | Self::ExactlyOne(rules), value) if !rules.iter().any(|rule| fits(&value, rule)) => {
                let mut typed = rules.iter().map(|rule| (rule, rule.of_texts(value.clone())));
                let found = typed.find(|(rule, typed)| fits(typed, rule));
                found.map_or(value, |(_, typed)| typed)
            }
            (rule, JsonValue::String(text)) => rule.of_text(&text),
            (_, value) => value,
        }
    }

    /// The value that a text stands for where there is nothing but texts. Without one, the text itself.
    fn of_text(&self, text: &str) -> JsonValue {
        let value = match self {
            Self::See(rule) | Self::Nullable(rule) | Self::Aliased(_, rule) => return rule.of_text(text),
            Self::Boolean => text.parse::<bool>().ok().map(JsonValue::from),
            Self::Integer(_) => text
                .parse::<i64>()
                .ok()
                .map(JsonValue::from)
                .or_else(|| text.parse::<u64>().ok().map(JsonValue::from)),
            Self::Number(_) => text
                .parse::<f64>()
                .ok()
                .filter(|number| number.is_finite())
                .map(JsonValue::from),
            _ => None,
        };
        value.unwrap_or_else(|| text.into())
    }
}
