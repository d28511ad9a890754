//! Conditions of the parameters and the credentials of a call.

use std::fmt::Display;
use std::str::FromStr;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::de::DeserializeOwned;
use wearlab_kit_types::carrier::Carrier;
use wearlab_kit_types::form;

use super::Conditional;
use super::must::{Must, Place, any};

/// Values of parameters.
pub trait Value: FromStr + Display + PartialEq + Send + Sync + 'static {}

impl<T: FromStr + Display + PartialEq + Send + Sync + 'static> Value for T {}

/// Values of parameters that are objects or JSON.
pub trait Decoded: DeserializeOwned + PartialEq + Send + Sync + 'static {}

impl<T: DeserializeOwned + PartialEq + Send + Sync + 'static> Decoded for T {}

/// A parameter in a cookie, with its default.
pub fn in_cookie<W: Conditional, T: Value>(when: W, name: &'static str, default: Option<&'static str>, value: T) -> W {
    must(when, Place::Cookie, name, default, value)
}

/// A list, with the character between its items, or repeated parameters. An omitted one is its default.
pub fn list<W: Conditional, T: Value>(
    mut when: W,
    place: &'static str,
    name: &'static str,
    separator: Option<char>,
    default: &'static [&'static str],
    wanted: Vec<T>,
) -> W {
    let place = match place {
        "path" => Place::Path,
        "query" => Place::Query,
        "header" => Place::Header,
        _ => Place::Cookie,
    };
    let shown: Vec<_> = wanted.iter().map(ToString::to_string).collect();
    let fits = Box::new(move |texts: &[String]| {
        let items: Vec<&str> = match separator {
            Some(separator) => texts.iter().flat_map(|text| text.split(separator)).collect(),
            None => texts.iter().map(String::as_str).collect(),
        };
        let equal = |(item, wanted): (&&str, &T)| item.parse::<T>().is_ok_and(|found| found == *wanted);
        items.len() == wanted.len() && items.iter().zip(&wanted).all(equal)
    });
    when.conditions().push(Must {
        place,
        name,
        wanted: matches!(place, Place::Path | Place::Query).then(|| shown.join(", ")),
        default: default.iter().copied().map(str::to_owned).collect(),
        fits,
    });
    when
}

/// A parameter in the path.
pub fn in_path<W: Conditional, T: Value>(when: W, name: &'static str, value: T) -> W {
    must(when, Place::Path, name, None, value)
}

/// A parameter in the query, with its default.
pub fn in_query<W: Conditional, T: Value>(when: W, name: &'static str, default: Option<&'static str>, value: T) -> W {
    must(when, Place::Query, name, default, value)
}

/// A parameter or a credential in a header, with its default.
pub fn in_header<W: Conditional, T: Value>(when: W, name: &'static str, default: Option<&'static str>, value: T) -> W {
    must(when, Place::Header, name, default, value)
}

/// An object in the query, whose members are `name[member]`.
pub fn in_object<W: Conditional, T: Decoded>(when: W, name: &'static str, value: T) -> W {
    decoded(when, Place::Object, name, value, |text| form::value(text.as_bytes()))
}

/// An object in the query, whose members are parameters of these names.
pub fn in_members<W: Conditional, T: Decoded>(
    when: W,
    name: &'static str,
    members: &'static [&'static str],
    value: T,
) -> W {
    decoded(when, Place::Members(members), name, value, |text| {
        form::value(text.as_bytes())
    })
}

/// JSON in the query.
pub fn in_json<W: Conditional, T: Decoded>(when: W, name: &'static str, value: T) -> W {
    decoded(when, Place::Query, name, value, |text| serde_json::from_str(text).ok())
}

fn decoded<W: Conditional, T: Decoded>(
    mut when: W,
    place: Place,
    name: &'static str,
    value: T,
    decode: impl Fn(&str) -> Option<T> + Send + Sync + 'static,
) -> W {
    when.conditions().push(Must {
        place,
        name,
        wanted: None,
        default: Vec::new(),
        fits: any(move |text| decode(text).is_some_and(|found| found == value)),
    });
    when
}

/// A credential, which is not shown.
pub fn credential<W: Conditional>(mut when: W, carrier: Carrier, value: impl Into<String>) -> W {
    let value = value.into();
    let (place, name, scheme, wanted) = match carrier {
        Carrier::Header(names) => (Place::Header, names[0], "", value),
        Carrier::Query(name) => (Place::Query, name, "", value),
        Carrier::Cookie(name) => (Place::Cookie, name, "", value),
        Carrier::Basic => (Place::Header, "authorization", "basic ", BASE64_STANDARD.encode(value)),
        _ => (Place::Header, "authorization", "bearer ", value),
    };
    let fits = any(move |text: &str| match text.split_at_checked(scheme.len()) {
        Some((found, rest)) => found.eq_ignore_ascii_case(scheme) && rest == wanted,
        None => false,
    });
    when.conditions().push(Must {
        place,
        name,
        wanted: None,
        default: Vec::new(),
        fits,
    });
    when
}

/// Values are compared, not their texts: a time may be written in many ways.
fn must<W: Conditional, T: Value>(
    mut when: W,
    place: Place,
    name: &'static str,
    default: Option<&'static str>,
    value: T,
) -> W {
    let wanted = matches!(place, Place::Path | Place::Query).then(|| value.to_string());
    let fits = any(move |text: &str| text.parse::<T>().is_ok_and(|found| found == value));
    when.conditions().push(Must {
        place,
        name,
        wanted,
        default: default.into_iter().map(str::to_owned).collect(),
        fits,
    });
    when
}
