//! Generated rules of JSON values, and the check that collects the violations.

mod check;
mod limits;
mod nul;
mod spelling;
mod texts;

pub(crate) use check::{Violated, step, violations};
pub use limits::{Bounds, Size, TextRule};
pub(crate) use nul::{check as check_nul, violations as nul_violations};
pub(crate) use spelling::normalise;

pub use std::net::{Ipv4Addr, Ipv6Addr};

pub use wearlab_kit_types::{DateTime, NaiveDate, Uuid};

use crate::parameter::Parameter;

/// Rule of a value.
pub enum Rule {
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
    /// An object with free members: rules of their names and of their values.
    Map(&'static Self, &'static Self, Size),
    /// An object with these members, and others.
    Object(&'static [Member], Others, Size),
    /// Rules by the text of a member. Other texts are those of types that this version does not have.
    Tagged(&'static str, &'static [(&'static [&'static str], Self)]),
    /// Any of several rules.
    OneOf(&'static [Self]),
    /// Exactly one of several rules.
    ExactlyOne(&'static [Self]),
    Nullable(&'static Self),
    /// A member that requests may send under other names.
    Aliased(&'static [&'static str], &'static Self),
    /// Reference to a rule in another place.
    See(&'static Self),
}

/// A member of an object: name, presence, value.
pub struct Member(pub &'static str, pub Presence, pub Rule);

/// Presence of a member.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    Required,
    Optional,
    /// Null is equivalent to absence.
    OrNull,
}

/// The members of an object that the document does not name.
pub enum Others {
    Allowed,
    Refused,
    /// Values of this rule.
    Of(&'static Rule),
}

/// Returns whether a text is read as a type.
pub fn parsed<T: Parameter>(text: &str) -> Result<(), String> {
    T::read(text).map(drop)
}

impl Rule {
    /// The other names of a member that has this rule.
    pub fn aliases(&self) -> &'static [&'static str] {
        match self {
            Self::Aliased(aliases, _) => aliases,
            _ => &[],
        }
    }

    /// The rule of a member of an object.
    pub fn member(&self, name: &str) -> Option<&Self> {
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
}
