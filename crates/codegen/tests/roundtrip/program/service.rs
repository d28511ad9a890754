//! A back end that records its input, and returns the scripted response.

use std::sync::{Arc, Mutex};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use wearlab_server::{ApiError, ApiResult};

/// A back end of all operations.
#[derive(Clone, Default)]
pub(crate) struct Service {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    arrived: Value,
    answer: Value,
}

impl Service {
    /// Sets the response of the next call, and clears the recorded input.
    pub(crate) fn script(&self, answer: Value) {
        *self.state.lock().expect("no panic") = State {
            arrived: Value::Null,
            answer,
        };
    }

    /// Records the input of an operation.
    pub(crate) fn arrived<const N: usize>(&self, input: [(&str, Value); N]) {
        let input = input.map(|(name, value)| (name.to_owned(), value));
        self.state.lock().expect("no panic").arrived = Value::Object(input.into_iter().collect());
    }

    /// Returns the recorded input. Null if no call came.
    pub(crate) fn recorded(&self) -> Value {
        self.state.lock().expect("no panic").arrived.clone()
    }

    /// The error of an operation, if that is to fail.
    pub(crate) fn error(&self) -> Option<Value> {
        let answer = self.state.lock().expect("no panic").answer.clone();
        let members = answer.as_object().filter(|members| members.len() == 3)?;
        let scripted = ["error", "status", "body"].iter().all(|key| members.contains_key(*key));
        scripted.then_some(answer)
    }

    /// The response of an operation.
    pub(crate) fn answer<T: Answer>(&self) -> T {
        T::of(&self.state.lock().expect("no panic").answer)
    }
}

/// Return types of methods of the trait.
pub(crate) trait Answer {
    fn of(value: &Value) -> Self;
}

impl<T: DeserializeOwned> Answer for ApiResult<T> {
    fn of(value: &Value) -> Self {
        Ok(read::<T>(value).into())
    }
}

impl Answer for Result<(), ApiError> {
    fn of(_: &Value) -> Self {
        Ok(())
    }
}

/// A value of the generated types.
pub(crate) fn read<T: DeserializeOwned>(value: &Value) -> T {
    T::deserialize(value).unwrap_or_else(|error| panic!("{error}: {value}"))
}

/// The value that a value of the generated types writes.
pub(crate) fn written<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).expect("a value is encoded")
}
