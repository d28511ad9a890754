//! A call of generated code: the values of parameters, and the output of the response.

use std::iter::Copied;
use std::slice::Iter;

use clap::ArgMatches;
use serde::de::DeserializeOwned;
use wearlab_kit_client::{Body, Error, Paged, Response};
use wearlab_kit_types::Page;

use crate::body::{self, FileOption};
use crate::commands::Commands;
use crate::failure::{Failure, Outcome};
use crate::output::{self, Output};

/// A call.
pub struct Call<'c, C: Commands> {
    /// The client that is called.
    pub client: &'c C::Client,
    matches: &'c ArgMatches,
    /// Options of the parts of the body that are files.
    files: &'static [FileOption],
    output: &'c mut Output,
    headers: &'c [(&'c str, &'c str)],
    all: bool,
}

impl<'c, C: Commands> Call<'c, C> {
    pub(crate) fn new(
        client: &'c C::Client,
        matches: &'c ArgMatches,
        files: &'static [FileOption],
        output: &'c mut Output,
        headers: &'c [(&'c str, &'c str)],
        all: bool,
    ) -> Self {
        Self {
            client,
            matches,
            files,
            output,
            headers,
            all,
        }
    }

    /// The value of an option, if it is given.
    pub fn optional<T: Clone + Send + Sync + 'static>(&self, option: &str) -> Option<T> {
        self.matches.get_one::<T>(option).cloned()
    }

    /// The values of an option that may be given several times, if it is given.
    pub fn optional_list<T: Clone + Send + Sync + 'static>(&self, option: &str) -> Option<Vec<T>> {
        Some(self.matches.get_many::<T>(option)?.cloned().collect())
    }

    /// The values of a required option that may be given several times.
    pub fn required_list<T: Clone + Send + Sync + 'static>(&self, option: &str) -> Result<Vec<T>, Failure> {
        self.optional_list(option)
            .ok_or_else(|| Failure::Usage(format!("missing --{option}")))
    }

    /// The value of a required option.
    pub fn required<T: Clone + Send + Sync + 'static>(&self, option: &str) -> Result<T, Failure> {
        self.optional(option)
            .ok_or_else(|| Failure::Usage(format!("missing --{option}")))
    }

    /// The body of the options, if there is one.
    pub fn body<T: DeserializeOwned>(&self) -> Result<Option<T>, Failure> {
        body::read(self.matches).map_err(Failure::Usage)
    }

    /// The body of the options, some of which are files.
    pub fn body_parts<T: DeserializeOwned>(&self) -> Result<Option<T>, Failure> {
        body::read_parts(self.matches, self.files).map_err(Failure::Usage)
    }

    /// The body of the options as bytes.
    pub fn body_bytes(&self) -> Result<Option<Vec<u8>>, Failure> {
        body::bytes(self.matches).map_err(Failure::Usage)
    }

    /// The body of the options as text.
    pub fn body_text(&self) -> Result<Option<String>, Failure> {
        let bytes = self.body_bytes()?;
        let text = bytes.map(String::from_utf8).transpose();
        text.map_err(|_| Failure::Usage("--body: must be UTF-8 text".to_owned()))
    }

    /// The body of the options as values, one a line.
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
        body.ok_or_else(|| Failure::Usage(body::MISSING.to_owned()))
    }

    /// Additional headers.
    pub fn headers(&self) -> Copied<Iter<'c, (&'c str, &'c str)>> {
        self.headers.iter().copied()
    }

    /// Writes a response. One without a body writes nothing.
    pub fn answer(self, response: Result<Response<Body>, Error>) -> Outcome {
        let response = response?;
        if response.is_empty() {
            return Ok(());
        }
        self.output.value(&response, None)
    }

    /// Writes a response as it was received.
    pub fn bytes(self, response: Result<Response<Body>, Error>) -> Outcome {
        output::write(&response?)
    }

    /// Writes a page, or the items of this and all following pages.
    pub async fn list<'a, P, A>(self, mut request: P, send: impl Fn(P) -> A) -> Outcome
    where
        P: Paged<'a, Page: DeserializeOwned>,
        A: Future<Output = Result<Response<Body>, Error>>,
    {
        let list = P::Page::ITEMS;
        let mut here = None;
        loop {
            let response = send(request.clone()).await?;
            if !self.all {
                return self.output.value(&response, Some(list));
            }
            // Items are written as received; the model has the position of the next page.
            let page: P::Page = response.decode()?;
            self.output.items(&response, list)?;
            let Some(next) = page.next_position() else {
                return Ok(());
            };
            if here.as_ref() == Some(&next) {
                return Err(Error::Paging.into());
            }
            request = request.at(next.clone());
            here = Some(next);
        }
    }
}
