//! Pages of lists.

/// One page of a list.
pub trait Page: Sized {
    /// Type of the list's items.
    type Item;
    /// Position of a page: an offset, a page number or a cursor.
    type Position;
    /// The field of the items; or the path to them, where they are in lists within lists or maps: `groups.*.data`.
    const ITEMS: &'static str;

    /// The items of this page.
    fn into_items(self) -> Vec<Self::Item>;

    /// Returns the position of the next page. None after the last one.
    fn next_position(&self) -> Option<Self::Position>;
}

/// The offset after a page, where there is more.
pub fn next_offset(offset: i64, items: usize, total: i64) -> Option<i64> {
    let next = offset.checked_add(i64::try_from(items).ok()?)?;
    (items > 0 && next < total).then_some(next)
}

/// The number after a page's, where there is more.
pub fn next_page(page: i64, size: i64, items: usize, total: i64) -> Option<i64> {
    let seen = page.checked_mul(size)?;
    if items == 0 || seen >= total {
        None
    } else {
        page.checked_add(1)
    }
}

/// The cursor after a page, where there is more.
pub fn next_cursor(cursor: Option<&str>) -> Option<String> {
    cursor.filter(|cursor| !cursor.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::{next_cursor, next_offset, next_page};

    #[test]
    fn the_last_page_has_no_next() {
        assert_eq!(next_offset(0, 100, 250), Some(100));
        assert_eq!(next_offset(200, 50, 250), None);
        assert_eq!(next_offset(0, 0, 250), None, "an empty page ends the list");
        assert_eq!(next_offset(i64::MAX, 1, i64::MAX), None);
        assert_eq!(next_page(1, 50, 50, 51), Some(2));
        assert_eq!(next_page(2, 50, 1, 51), None);
        assert_eq!(next_page(3, 50, 0, 500), None, "an empty page ends the list");
        assert_eq!(next_cursor(Some("a")), Some("a".to_owned()));
        assert_eq!(next_cursor(Some("")), None);
        assert_eq!(next_cursor(None), None);
    }
}
