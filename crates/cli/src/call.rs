//! A call of generated code: the values of parameters, and the output of the response.

use clap::ArgMatches;
use serde::de::DeserializeOwned;
use wearlab_client::models::Page;
use wearlab_client::{Body, Client, Error, Paged, Response};

use crate::body;
use crate::failure::{Failure, Outcome};
use crate::output::Output;

/// A call.
pub(crate) struct Call<'c> {
    pub(crate) client: &'c Client,
    matches: &'c ArgMatches,
    output: &'c mut Output,
    headers: &'c [(&'c str, &'c str)],
    all: bool,
}

#[allow(dead_code, clippy::allow_attributes, reason = "the document decides what is needed")]
impl<'c> Call<'c> {
    pub(crate) fn new(
        client: &'c Client,
        matches: &'c ArgMatches,
        output: &'c mut Output,
        headers: &'c [(&'c str, &'c str)],
        all: bool,
    ) -> Self {
        Self {
            client,
            matches,
            output,
            headers,
            all,
        }
    }

    /// The value of an option, if it is given.
    pub(crate) fn optional<T: Clone + Send + Sync + 'static>(&self, option: &str) -> Option<T> {
        self.matches.get_one::<T>(option).cloned()
    }

    /// The value of a required option.
    pub(crate) fn required<T: Clone + Send + Sync + 'static>(&self, option: &str) -> Result<T, Failure> {
        self.optional(option)
            .ok_or_else(|| Failure::Usage(format!("missing --{option}")))
    }

    /// The required body of the options.
    pub(crate) fn body<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        self.optional_body()?
            .ok_or_else(|| Failure::Usage(body::MISSING.to_owned()))
    }

    /// The body of the options, if there is one.
    pub(crate) fn optional_body<T: DeserializeOwned>(&self) -> Result<Option<T>, Failure> {
        body::read(self.matches).map_err(Failure::Usage)
    }

    /// Additional headers.
    pub(crate) fn headers(&self) -> impl Iterator<Item = (&'c str, &'c str)> + use<'c> {
        self.headers.iter().copied()
    }

    /// Writes a response. One without a body writes nothing.
    pub(crate) fn answer(self, response: Result<Response<Body>, Error>) -> Outcome {
        let response = response?;
        if response.is_empty() {
            return Ok(());
        }
        self.output.value(&response, None)
    }

    /// Writes a page, or the items of this and all following pages.
    pub(crate) async fn list<'a, C, A>(self, mut request: C, send: impl Fn(C) -> A) -> Outcome
    where
        C: Paged<'a, Page: DeserializeOwned>,
        A: Future<Output = Result<Response<Body>, Error>>,
    {
        let list = C::Page::ITEMS;
        let mut here = None;
        loop {
            let response = send(request.clone()).await?;
            if !self.all {
                return self.output.value(&response, Some(list));
            }
            // Items are written as received; the model has the position of the next page.
            let page: C::Page = response.decode()?;
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
