//! Progress of pagination: ends lists whose service goes in a circle.

use super::PagedCall;
use crate::Error;

/// Positions and pages that a list already had. It holds two of them, however long the list is.
#[derive(Clone, Debug)]
pub struct Progress<P> {
    /// The position of the current page.
    last: Option<P>,
    /// An earlier position, which is replaced after 1, 2, 4, 8... pages, so that a circle of any length meets it.
    earlier: Option<P>,
    pages: u64,
    fingerprint: Option<u64>,
}

impl<P> Default for Progress<P> {
    fn default() -> Self {
        Self {
            last: None,
            earlier: None,
            pages: 0,
            fingerprint: None,
        }
    }
}

impl<P: Clone + PartialEq> Progress<P> {
    /// Checks the position after a page.
    ///
    /// # Errors
    ///
    /// [`Error::Paging`] if the position or the page was there before.
    pub fn check<'a, C: PagedCall<'a, Position = P>>(&mut self, page: &C::Page, next: Option<&P>) -> Result<(), Error> {
        let fingerprint = C::fingerprint(page);
        if fingerprint.is_some() && fingerprint == self.fingerprint {
            return Err(Error::Paging);
        }
        self.fingerprint = fingerprint;
        let Some(next) = next else { return Ok(()) };
        if self.last.as_ref() == Some(next) || self.earlier.as_ref() == Some(next) {
            return Err(Error::Paging);
        }
        self.pages += 1;
        if self.pages.is_power_of_two() {
            self.earlier = Some(next.clone());
        }
        self.last = Some(next.clone());
        Ok(())
    }
}
