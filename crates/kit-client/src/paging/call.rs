//! Calls that have pages.

use super::paged::{Fetch, Paged};
use crate::{Error, Response};
use wearlab_kit_types::Page;

/// A call of one page of a list, which finds the position of the next page in its response.
pub trait PagedCall<'a>: Clone {
    /// The response of one page.
    type Page;
    /// Type of the list's items.
    type Item;
    /// Position of a page: an offset, a page number or a cursor.
    type Position: Clone + PartialEq;
    /// The path to the items in a page, such as `data.items`. Empty where the page is the list itself.
    const ITEMS: &'static str;

    /// The call for the page that begins there.
    fn at(self, position: Self::Position) -> Self;

    /// Sends the call.
    fn fetch(self) -> Fetch<'a, Self::Page>;

    /// Returns the position after a page that this call returned. None after the last one.
    ///
    /// # Errors
    ///
    /// [`Error::Paging`] if the service names a next page in a form that cannot be sent.
    fn next(&self, page: &Response<Self::Page>) -> Result<Option<Self::Position>, Error>;

    /// The items of a page.
    fn into_items(page: Self::Page) -> Vec<Self::Item>;

    /// Returns a hash of a page that has items, where only repeated pages show that a service ignores the position.
    fn fingerprint(_: &Self::Page) -> Option<u64> {
        None
    }
}

impl<'a, C: Paged<'a>> PagedCall<'a> for C {
    type Page = C::Page;
    type Item = <C::Page as Page>::Item;
    type Position = <C::Page as Page>::Position;
    const ITEMS: &'static str = C::Page::ITEMS;

    fn at(self, position: Self::Position) -> Self {
        Paged::at(self, position)
    }

    fn fetch(self) -> Fetch<'a, Self::Page> {
        Paged::fetch(self)
    }

    fn next(&self, page: &Response<Self::Page>) -> Result<Option<Self::Position>, Error> {
        Ok(page.next_position())
    }

    fn into_items(page: Self::Page) -> Vec<Self::Item> {
        page.into_items()
    }
}
