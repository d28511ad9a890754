//! Streams over the pages of a list.

mod call;
mod paged;
pub mod positions;
mod progress;
#[cfg(test)]
mod tests;

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::vec;

use futures_core::Stream;
use serde::{Deserialize, Serialize};

use crate::{Error, Response};

pub use call::PagedCall;
pub use paged::{Fetch, Paged};
pub use progress::Progress;

type PositionOf<'a, C> = <C as PagedCall<'a>>::Position;
type ItemOf<'a, C> = <C as PagedCall<'a>>::Item;

/// Position at which a stream continues.
#[derive(Clone, Debug, PartialEq)]
enum Next<T> {
    /// The page that the call itself requests.
    First,
    At(T),
    End,
}

/// The pages of a list, each requested on demand. After an error, there are no more.
///
/// To resume elsewhere, keep [`next_position`](Self::next_position), and begin a new call there with the parameter of
/// the position, such as `offset`, `page` or `next_cursor`.
#[must_use = "a stream does nothing until it is polled"]
pub struct Pages<'a, C: PagedCall<'a>> {
    call: C,
    next: Next<PositionOf<'a, C>>,
    fetch: Option<Fetch<'a, C::Page>>,
    progress: Progress<PositionOf<'a, C>>,
    failed: bool,
}

impl<'a, C: PagedCall<'a>> Pages<'a, C> {
    /// Begins a stream.
    #[doc(hidden)]
    pub fn new(call: C) -> Self {
        Self {
            call,
            next: Next::First,
            fetch: None,
            progress: Progress::default(),
            failed: false,
        }
    }

    /// The call of the current page. None at the end.
    fn current(&self) -> Option<C> {
        match &self.next {
            Next::First => Some(self.call.clone()),
            Next::At(position) => Some(self.call.clone().at(position.clone())),
            Next::End => None,
        }
    }

    /// Moves to the position after a page.
    fn advance(&mut self, response: Response<C::Page>) -> Result<C::Page, Error> {
        let next = match self.current() {
            Some(call) => call.next(&response)?,
            None => None,
        };
        let page = response.into_inner();
        self.progress.check::<C>(&page, next.as_ref())?;
        self.next = next.map_or(Next::End, Next::At);
        Ok(page)
    }

    /// Position of the next page. None before the first page and after the last one.
    pub fn next_position(&self) -> Option<&PositionOf<'a, C>> {
        match &self.next {
            Next::At(position) => Some(position),
            Next::First | Next::End => None,
        }
    }

    /// The next page. None after the last one.
    ///
    /// # Errors
    ///
    /// The errors of the call, and [`Error::Paging`] where the service repeats a position or a page.
    pub async fn try_next(&mut self) -> Result<Option<C::Page>, Error> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context))
            .await
            .transpose()
    }
}

/// No field is pinned in place: the page on its way is boxed.
impl<'a, C: PagedCall<'a>> Unpin for Pages<'a, C> {}

impl<'a, C: PagedCall<'a>> Stream for Pages<'a, C> {
    type Item = Result<C::Page, Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if this.failed {
            return Poll::Ready(None);
        }
        let fetch = match &mut this.fetch {
            Some(fetch) => fetch,
            None => {
                let Some(call) = this.current() else {
                    return Poll::Ready(None);
                };
                this.fetch.insert(call.fetch())
            }
        };
        let answer = ready!(fetch.as_mut().poll(context));
        this.fetch = None;
        let moved_on = answer.and_then(|response| this.advance(response));
        this.failed = moved_on.is_err();
        Poll::Ready(Some(moved_on))
    }
}

/// The position of an item in a list, for a stream that continues there. It can be saved, as JSON for example.
///
/// Lists change: items that are added or removed before the position shift it. In lists that are paged by a cursor,
/// only changes of its own page do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position<T> {
    /// The page that the item is on. None for the page that the call itself requests.
    page: Option<T>,
    /// The number of items of the page before it.
    items: usize,
}

/// The items of a list, page by page. Only one page is held, and none while the next one is on its way. After an error,
/// there are no more.
#[must_use = "a stream does nothing until it is polled"]
pub struct Items<'a, C: PagedCall<'a>> {
    pages: Pages<'a, C>,
    /// The page that `items` are of.
    page: Option<PositionOf<'a, C>>,
    items: vec::IntoIter<ItemOf<'a, C>>,
    /// The number of items of the page that were taken, or are skipped.
    taken: usize,
}

impl<'a, C: PagedCall<'a>> Items<'a, C> {
    /// Begins a stream.
    #[doc(hidden)]
    pub fn new(call: C) -> Self {
        Self {
            pages: Pages::new(call),
            page: None,
            items: Vec::new().into_iter(),
            taken: 0,
        }
    }

    /// Returns the position of the next item. None at the end of the list. After an error, the position of the error.
    pub fn position(&self) -> Option<Position<PositionOf<'a, C>>> {
        let (page, items) = match (&self.pages.next, self.items.len()) {
            (Next::End, 0) => return None,
            (_, 1..) => (self.page.clone(), self.taken),
            (Next::First, _) => (None, self.taken),
            (Next::At(next), _) => (Some(next.clone()), self.taken),
        };
        Some(Position { page, items })
    }

    /// The stream from a place on that another one of the same list came to. The parameters must be the same.
    pub fn resume_at(self, position: Position<PositionOf<'a, C>>) -> Self {
        let mut resumed = Self::new(self.pages.call);
        resumed.pages.next = position.page.map_or(Next::First, Next::At);
        resumed.taken = position.items;
        resumed
    }

    /// The next item. None after the last one.
    ///
    /// # Errors
    ///
    /// The errors of the call, and [`Error::Paging`] where the service repeats a position or a page.
    pub async fn try_next(&mut self) -> Result<Option<ItemOf<'a, C>>, Error> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context))
            .await
            .transpose()
    }
}

/// No field is pinned in place.
impl<'a, C: PagedCall<'a>> Unpin for Items<'a, C> {}

impl<'a, C: PagedCall<'a>> Stream for Items<'a, C> {
    type Item = Result<ItemOf<'a, C>, Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            if let Some(item) = this.items.next() {
                this.taken += 1;
                if this.items.len() == 0 {
                    // The page goes with its last item.
                    this.items = Vec::new().into_iter();
                    this.taken = 0;
                }
                return Poll::Ready(Some(Ok(item)));
            }
            let asked = this.pages.next_position().cloned();
            let Some(page) = ready!(Pin::new(&mut this.pages).poll_next(context)?) else {
                return Poll::Ready(None);
            };
            this.page = asked;
            this.items = C::into_items(page).into_iter();
            // Of a list that was resumed.
            for _ in 0..this.taken {
                this.items.next();
            }
            if this.items.len() == 0 {
                this.taken = 0;
            }
        }
    }
}

impl<'a, C: PagedCall<'a> + fmt::Debug> fmt::Debug for Pages<'a, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages")
            .field("call", &self.call)
            .finish_non_exhaustive()
    }
}

impl<'a, C: PagedCall<'a> + fmt::Debug> fmt::Debug for Items<'a, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Items")
            .field("pages", &self.pages)
            .finish_non_exhaustive()
    }
}
