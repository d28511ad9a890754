//! Round trips of every model.

use std::fmt::Debug;
use std::sync::LazyLock;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, from_str, from_value, to_string, to_value};
use wearlab_models as types;

use super::bytes::Choices;
use super::json::altered;
use crate::coverage::examples;

/// Name of a schema, with a check of values of its type.
type Model = (&'static str, fn(&Value) -> bool);

macro_rules! models {
    ($($name:ident),*) => {
        &[$((stringify!($name), round_trip::<types::$name>),)*]
    };
}

#[expect(deprecated, reason = "what is deprecated is still read and written")]
const MODELS: &[Model] = include!(concat!(env!("OUT_DIR"), "/models.rs"));

/// Each model with its examples.
static EXAMPLES: LazyLock<Vec<(&'static Model, Vec<&'static Value>)>> = LazyLock::new(|| {
    let models = MODELS.iter().map(|model| (model, examples(model.0)));
    models.filter(|(_, examples)| !examples.is_empty()).collect()
});

/// Returns the names of the tested schemas: all of the document, which `build.rs` lists.
pub fn names() -> impl Iterator<Item = &'static str> {
    MODELS.iter().map(|(name, _)| *name)
}

/// Parses a value as a model. Returns whether it is valid.
pub fn models(bytes: &[u8]) -> bool {
    let mut choices = Choices::new(bytes);
    let ((_, check), examples) = choices.of(&EXAMPLES);
    let example: &&Value = choices.of(examples);
    let value = altered(example, &mut choices);
    check(&value)
}

fn round_trip<T>(value: &Value) -> bool
where
    T: DeserializeOwned + Serialize + PartialEq + Debug,
{
    let Ok(model) = from_value::<T>(value.clone()) else {
        let text = from_str::<T>(&value.to_string());
        assert!(text.is_err(), "text is another value: {text:?}");
        return false;
    };
    let written = to_value(&model).expect("models are JSON");
    let again: T = from_value(written.clone()).expect("what was written is read");
    assert_eq!(again, model);
    assert_eq!(to_value(&again).expect("models are JSON"), written);
    let text = to_string(&model).expect("models are JSON");
    assert_eq!(from_str::<T>(&text).expect("what was written is read"), model);
    let _ = format!("{model:?}");
    if let Value::Object(members) = value {
        newer::<T>(members.clone(), &written);
    }
    true
}

/// Checks that an unknown field is ignored, or kept if the object is open.
fn newer<T: DeserializeOwned + Serialize>(mut members: serde_json::Map<String, Value>, written: &Value) {
    const FIELD: &str = "from_the_year_3000";
    members.insert(FIELD.to_owned(), Value::Bool(true));
    let newer: T = from_value(members.into()).expect("an addition breaks nobody");
    let mut newer = to_value(&newer).expect("models are JSON");
    if let Some(members) = newer.as_object_mut() {
        members.shift_remove(FIELD);
    }
    assert_eq!(&newer, written);
}
