//! A call of generated code: the values of parameters, and the output of the response.

use std::iter::Copied;
use std::slice::Iter;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use wearlab_kit_client::codegen::Progress;
use wearlab_kit_client::{Body, Error, EventStream, PagedCall, Response};
use wearlab_kit_types::JsonObject;

use crate::arguments::Arguments;
use crate::failure::{Failure, Outcome};
use crate::output::{self, Output};

/// A call.
pub struct Call<'c, C> {
    /// The client that is called.
    pub client: &'c C,
    arguments: Arguments<'c>,
    sink: Sink<'c>,
    headers: &'c [(&'c str, &'c str)],
    all: bool,
}

/// Destination of responses.
pub(crate) enum Sink<'c> {
    /// Standard output.
    Output(&'c mut Output),
    /// Memory: the body as it was received.
    Memory(&'c mut Vec<u8>),
}

impl<'c, C> Call<'c, C> {
    pub(crate) fn new(
        client: &'c C,
        arguments: Arguments<'c>,
        sink: Sink<'c>,
        headers: &'c [(&'c str, &'c str)],
        all: bool,
    ) -> Self {
        Self {
            client,
            arguments,
            sink,
            headers,
            all,
        }
    }

    /// The value of a parameter, if it is given.
    pub fn optional<T>(&self, option: &str) -> Result<Option<T>, Failure>
    where
        T: DeserializeOwned + Clone + Send + Sync + 'static,
    {
        self.arguments.one(option)
    }

    /// The values of a parameter that is a list, if it is given.
    pub fn optional_list<T>(&self, option: &str) -> Result<Option<Vec<T>>, Failure>
    where
        T: DeserializeOwned + Clone + Send + Sync + 'static,
    {
        self.arguments.list(option)
    }

    /// The values of a required parameter that is a list.
    pub fn required_list<T>(&self, option: &str) -> Result<Vec<T>, Failure>
    where
        T: DeserializeOwned + Clone + Send + Sync + 'static,
    {
        self.optional_list(option)?
            .ok_or_else(|| self.arguments.missing(option))
    }

    /// The value of a required parameter.
    pub fn required<T>(&self, option: &str) -> Result<T, Failure>
    where
        T: DeserializeOwned + Clone + Send + Sync + 'static,
    {
        self.optional(option)?.ok_or_else(|| self.arguments.missing(option))
    }

    /// The body, if there is one.
    pub fn body<T: DeserializeOwned>(&self) -> Result<Option<T>, Failure> {
        self.arguments.body().map_err(Failure::Usage)
    }

    /// The body, some of whose parts are files.
    pub fn body_parts<T: DeserializeOwned>(&self) -> Result<Option<T>, Failure> {
        self.arguments.body_parts().map_err(Failure::Usage)
    }

    /// The body as bytes.
    pub fn body_bytes(&self) -> Result<Option<Vec<u8>>, Failure> {
        self.arguments.body_bytes().map_err(Failure::Usage)
    }

    /// The body as text.
    pub fn body_text(&self) -> Result<Option<String>, Failure> {
        let bytes = self.body_bytes()?;
        let text = bytes.map(String::from_utf8).transpose();
        text.map_err(|_| Failure::Usage("--body: must be UTF-8 text".to_owned()))
    }

    /// The body as values, one a line.
    pub fn body_lines<T: DeserializeOwned>(&self) -> Result<Option<Vec<T>>, Failure> {
        let Some(text) = self.body_text()? else { return Ok(None) };
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let values = lines.map(|(index, line)| {
            let wrong = |_| Failure::Usage(format!("--body: line {} does not fit", index + 1));
            serde_json::from_str(line).map_err(wrong)
        });
        values.collect::<Result<_, _>>().map(Some)
    }

    /// A body that must be given.
    pub fn required_body<T>(&self, body: Option<T>) -> Result<T, Failure> {
        body.ok_or_else(|| self.arguments.missing_body())
    }

    /// Additional headers.
    pub fn headers(&self) -> Copied<Iter<'c, (&'c str, &'c str)>> {
        self.headers.iter().copied()
    }

    /// Writes a response. One without a body writes nothing.
    pub fn answer(mut self, response: Result<Response<Body>, Error>) -> Outcome {
        let response = response?;
        if response.is_empty() {
            return Ok(());
        }
        self.sink.value(&response, None)
    }

    /// Writes the headers of a response to HEAD, as an object. One that was sent several times is a list.
    pub fn head(mut self, response: Result<Response<Body>, Error>) -> Outcome {
        let response = response?;
        let mut headers = JsonObject::new();
        for name in response.headers().keys() {
            let values = response.headers().get_all(name).iter();
            let mut values: Vec<_> = values
                .map(|value| Value::from(String::from_utf8_lossy(value.as_bytes())))
                .collect();
            let value = match values.len() {
                1 => values.remove(0),
                _ => Value::Array(values),
            };
            headers.insert(name.as_str().to_owned(), value);
        }
        let text = Value::Object(headers).to_string();
        self.sink.value(&response.replace(Body::from(text.into_bytes())), None)
    }

    /// Writes a response as it was received.
    pub fn bytes(self, response: Result<Response<Body>, Error>) -> Outcome {
        let response = response?;
        match self.sink {
            Sink::Output(_) => output::write(&response),
            Sink::Memory(bytes) => {
                bytes.extend_from_slice(&response);
                Ok(())
            }
        }
    }

    /// Writes events as they arrive, one a line, as JSON.
    pub async fn events<T>(mut self, response: Result<Response<EventStream<T>>, Error>) -> Outcome
    where
        T: DeserializeOwned + Serialize,
    {
        let mut events = response?.into_inner();
        while let Some(event) = events.try_next().await? {
            let mut line = serde_json::to_vec(&event).map_err(std::io::Error::from)?;
            line.push(b'\n');
            match &mut self.sink {
                Sink::Output(_) => output::write(&line)?,
                Sink::Memory(bytes) => bytes.extend_from_slice(&line),
            }
        }
        Ok(())
    }

    /// Writes a page, or the items of this and all following pages.
    pub async fn list<'a, P, A, G, N>(mut self, mut request: P, send: impl Fn(P) -> A) -> Outcome
    where
        // Types of their own, so that the future is `Send` whatever `'a` is.
        P: PagedCall<'a, Page = G, Position = N>,
        G: DeserializeOwned,
        N: Clone + PartialEq,
        A: Future<Output = Result<Response<Body>, Error>>,
    {
        let mut progress = Progress::<N>::default();
        loop {
            let response = send(request.clone()).await?;
            if !self.all {
                return self.sink.value(&response, Some(P::ITEMS));
            }
            // Items are written as received; the model has the position of the next page.
            let page: G = response.decode()?;
            self.sink.items(&response, P::ITEMS)?;
            let page = response.replace(page);
            let next = request.next(&page)?;
            progress.check::<P>(&page, next.as_ref())?;
            let Some(next) = next else { return Ok(()) };
            request = request.at(next);
        }
    }
}

impl Sink<'_> {
    /// Writes a response; as a table, the rows of its list.
    fn value(&mut self, response: &Response<Body>, list: Option<&str>) -> Outcome {
        match self {
            Self::Output(output) => output.value(response, list),
            Self::Memory(bytes) => {
                bytes.extend_from_slice(response);
                Ok(())
            }
        }
    }

    /// Writes the items of a page.
    fn items(&mut self, page: &Response<Body>, list: &str) -> Outcome {
        match self {
            Self::Output(output) => output.items(page, list),
            Self::Memory(_) => self.value(page, Some(list)),
        }
    }
}
