//! Calls whose pages have the position of the next one.

use std::pin::Pin;

use wearlab_kit_types::Page;

use crate::{Error, Response};

/// A page that is on its way.
#[cfg(not(target_family = "wasm"))]
pub type Fetch<'a, P> = Pin<Box<dyn Future<Output = Result<Response<P>, Error>> + Send + 'a>>;
/// A page that is on its way.
#[cfg(target_family = "wasm")]
pub type Fetch<'a, P> = Pin<Box<dyn Future<Output = Result<Response<P>, Error>> + 'a>>;

/// A call that returns one page of a list, which has the position of the next one.
pub trait Paged<'a>: Clone {
    /// The page.
    type Page: Page<Position: Clone + PartialEq>;

    /// The call for the page that begins there.
    fn at(self, position: <Self::Page as Page>::Position) -> Self;

    /// Sends the call.
    fn fetch(self) -> Fetch<'a, Self::Page>;
}
