//! Limits of pages of samples.

/// Limits of a page. It ends before the item that would exceed one of them, but has at least one item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageLimit {
    /// Maximum number of items.
    pub items: usize,
    /// Approximate maximum size of the items, in bytes.
    pub bytes: usize,
}

impl PageLimit {
    /// No limit.
    pub const NONE: Self = Self {
        items: usize::MAX,
        bytes: usize::MAX,
    };
}

impl From<usize> for PageLimit {
    fn from(items: usize) -> Self {
        Self {
            items,
            bytes: usize::MAX,
        }
    }
}

/// Remainder of a page limit.
pub struct Budget {
    left: PageLimit,
    is_untouched: bool,
}

impl Budget {
    /// Returns the whole limit.
    pub fn of(limit: PageLimit) -> Self {
        Self {
            left: limit,
            is_untouched: true,
        }
    }

    /// Returns the remainder.
    pub fn left(&self) -> PageLimit {
        self.left
    }

    /// Takes an item of this size, if it fits. The first item always fits.
    pub fn take(&mut self, bytes: usize) -> bool {
        let fits = self.left.items > 0 && (bytes <= self.left.bytes || self.is_untouched);
        if fits {
            self.is_untouched = false;
            self.left.items -= 1;
            self.left.bytes = self.left.bytes.saturating_sub(bytes);
        }
        fits
    }
}
