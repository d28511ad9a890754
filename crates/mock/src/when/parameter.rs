//! Conditions of the parameters and the credentials of a call.

use std::fmt::Display;
use std::str::FromStr;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::de::DeserializeOwned;
use wearlab_models::carrier::Carrier;
use wearlab_models::form;

use super::When;
use super::must::{Must, Place, any};

/// Values of parameters.
pub(crate) trait Value: FromStr + Display + PartialEq + Send + Sync + 'static {}

impl<T: FromStr + Display + PartialEq + Send + Sync + 'static> Value for T {}

/// Values of parameters that are objects or JSON.
pub(crate) trait Decoded: DeserializeOwned + PartialEq + Send + Sync + 'static {}

impl<T: DeserializeOwned + PartialEq + Send + Sync + 'static> Decoded for T {}

/// A parameter in a cookie, with what it is where it is left out.
pub(crate) fn in_cookie<O, T: Value>(
    when: When<O>,
    name: &'static str,
    default: Option<&'static str>,
    value: T,
) -> When<O> {
    must(when, Place::Cookie, name, default, value)
}

/// A list, with the character between its items, or repeated parameters. One that is left out is its default.
pub(crate) fn list<O, T: Value>(
    mut when: When<O>,
    place: &'static str,
    name: &'static str,
    separator: Option<char>,
    default: &'static [&'static str],
    wanted: Vec<T>,
) -> When<O> {
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
    when.must.push(Must {
        place,
        name,
        wanted: matches!(place, Place::Path | Place::Query).then(|| shown.join(", ")),
        default: default.iter().copied().map(str::to_owned).collect(),
        fits,
    });
    when
}

/// A parameter in the path.
pub(crate) fn in_path<O, T: Value>(when: When<O>, name: &'static str, value: T) -> When<O> {
    must(when, Place::Path, name, None, value)
}

/// A parameter in the query, with what it is where it is left out.
pub(crate) fn in_query<O, T: Value>(
    when: When<O>,
    name: &'static str,
    default: Option<&'static str>,
    value: T,
) -> When<O> {
    must(when, Place::Query, name, default, value)
}

/// A parameter or a credential in a header, with what it is where it is left out.
pub(crate) fn in_header<O, T: Value>(
    when: When<O>,
    name: &'static str,
    default: Option<&'static str>,
    value: T,
) -> When<O> {
    must(when, Place::Header, name, default, value)
}

/// An object in the query, whose members are `name[member]`.
pub(crate) fn in_object<O, T: Decoded>(when: When<O>, name: &'static str, value: T) -> When<O> {
    decoded(when, Place::Object, name, value, |text| form::value(text.as_bytes()))
}

/// An object in the query, whose members are parameters of these names.
pub(crate) fn in_members<O, T: Decoded>(
    when: When<O>,
    name: &'static str,
    members: &'static [&'static str],
    value: T,
) -> When<O> {
    decoded(when, Place::Members(members), name, value, |text| {
        form::value(text.as_bytes())
    })
}

/// JSON in the query.
pub(crate) fn in_json<O, T: Decoded>(when: When<O>, name: &'static str, value: T) -> When<O> {
    decoded(when, Place::Query, name, value, |text| serde_json::from_str(text).ok())
}

fn decoded<O, T: Decoded>(
    mut when: When<O>,
    place: Place,
    name: &'static str,
    value: T,
    decode: impl Fn(&str) -> Option<T> + Send + Sync + 'static,
) -> When<O> {
    when.must.push(Must {
        place,
        name,
        wanted: None,
        default: Vec::new(),
        fits: any(move |text| decode(text).is_some_and(|found| found == value)),
    });
    when
}

/// A credential, which is not shown.
pub(crate) fn credential<O>(mut when: When<O>, carrier: Carrier, value: impl Into<String>) -> When<O> {
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
    when.must.push(Must {
        place,
        name,
        wanted: None,
        default: Vec::new(),
        fits,
    });
    when
}

/// Values are compared, not their texts: a time may be written in many ways.
fn must<O, T: Value>(
    mut when: When<O>,
    place: Place,
    name: &'static str,
    default: Option<&'static str>,
    value: T,
) -> When<O> {
    let wanted = matches!(place, Place::Path | Place::Query).then(|| value.to_string());
    let fits = any(move |text: &str| text.parse::<T>().is_ok_and(|found| found == value));
    when.must.push(Must {
        place,
        name,
        wanted,
        default: default.into_iter().map(str::to_owned).collect(),
        fits,
    });
    when
}
