//! Conditions of the body of a call.

use serde::de::DeserializeOwned;
use wearlab_models::form;

use super::When;
use super::must::{Must, Place, any};

/// A body that is a form. Values are compared, not their texts.
pub(crate) fn in_form<O, T>(when: When<O>, value: T) -> When<O>
where
    T: DeserializeOwned + PartialEq + Send + Sync + 'static,
{
    of_body(when, move |text| {
        form::value::<T>(text.as_bytes()).is_some_and(|found| found == value)
    })
}

/// A body that is text.
pub(crate) fn in_text<O>(when: When<O>, value: String) -> When<O> {
    of_body(when, move |text| text == value)
}

fn of_body<O>(mut when: When<O>, fits: impl Fn(&str) -> bool + Send + Sync + 'static) -> When<O> {
    when.must.push(Must {
        place: Place::Body,
        name: "body",
        wanted: None,
        default: Vec::new(),
        fits: any(fits),
    });
    when
}

/// The body of the request. Values are compared, not their texts.
pub(crate) fn in_body<O, T>(when: When<O>, value: T) -> When<O>
where
    T: DeserializeOwned + PartialEq + Send + Sync + 'static,
{
    of_body(when, move |text| {
        serde_json::from_str::<T>(text).is_ok_and(|found| found == value)
    })
}
