//! Conditions of the body of a call.

use serde::de::DeserializeOwned;
use wearlab_kit_types::form;

use super::Conditional;
use super::must::{Must, Place, any};

/// A body that is a form. Values are compared, not their texts.
pub fn in_form<W: Conditional, T>(when: W, value: T) -> W
where
    T: DeserializeOwned + PartialEq + Send + Sync + 'static,
{
    of_body(when, move |text| {
        form::value::<T>(text.as_bytes()).is_some_and(|found| found == value)
    })
}

/// A body that is text.
pub fn in_text<W: Conditional>(when: W, value: String) -> W {
    of_body(when, move |text| text == value)
}

fn of_body<W: Conditional>(mut when: W, fits: impl Fn(&str) -> bool + Send + Sync + 'static) -> W {
    when.conditions().push(Must {
        place: Place::Body,
        name: "body",
        wanted: None,
        default: Vec::new(),
        fits: any(fits),
    });
    when
}

/// The body of the request. Values are compared, not their texts.
pub fn in_body<W: Conditional, T>(when: W, value: T) -> W
where
    T: DeserializeOwned + PartialEq + Send + Sync + 'static,
{
    of_body(when, move |text| {
        serde_json::from_str::<T>(text).is_ok_and(|found| found == value)
    })
}
