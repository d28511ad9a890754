//! A call as generated code makes it: values for parameters, and what becomes of the response.

use clap::ArgMatches;
use serde::de::DeserializeOwned;
use wearlab_client::models::Page;
use wearlab_client::{Body, Client, Error, Paged, Response};

use crate::connection;
use crate::failure::{Failure, Outcome};
use crate::output::Output;

/// A call that is being put together.
pub(crate) struct Call<'c> {
    pub(crate) client: &'c Client,
    matches: &'c ArgMatches,
    output: &'c mut Output,
    all: bool,
}

#[allow(dead_code, clippy::allow_attributes, reason = "the document decides what is needed")]
impl<'c> Call<'c> {
    pub(crate) fn new(client: &'c Client, matches: &'c ArgMatches, output: &'c mut Output, all: bool) -> Self {
        Self {
            client,
            matches,
            output,
            all,
        }
    }

    /// The value of an option, where it is given.
    pub(crate) fn optional<T: Clone + Send + Sync + 'static>(&self, option: &str) -> Option<T> {
        self.matches.get_one::<T>(option).cloned()
    }

    /// The value of an option that must be given.
    pub(crate) fn required<T: Clone + Send + Sync + 'static>(&self, option: &str) -> Result<T, Failure> {
        self.optional(option)
            .ok_or_else(|| Failure::Usage(format!("--{option} is missing")))
    }

    /// The headers that are sent with it, besides its own.
    pub(crate) fn headers(&self) -> impl Iterator<Item = (&'c str, &'c str)> + use<'c> {
        connection::headers(self.matches)
    }

    /// Writes a response.
    pub(crate) fn answer(self, answer: Result<Response<Body>, Error>) -> Outcome {
        self.output.value(&answer?, None)
    }

    /// Writes a page; or the items of it and all pages after it, each page as it comes.
    pub(crate) async fn list<'a, C, A>(self, mut request: C, send: impl Fn(C) -> A) -> Outcome
    where
        C: Paged<'a, Page: DeserializeOwned>,
        A: Future<Output = Result<Response<Body>, Error>>,
    {
        let list = C::Page::ITEMS;
        let mut here = None;
        loop {
            let answer = send(request.clone()).await?;
            if !self.all {
                return self.output.value(&answer, Some(list));
            }
            // What it says is written as it came. The models know where it goes on.
            let page: C::Page = answer.decode()?;
            self.output.items(&answer, list)?;
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
