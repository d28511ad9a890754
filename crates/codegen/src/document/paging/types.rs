//! Pagination as it is found: the position of a page, and the way to the next one.

use crate::document::{Type, Width};

/// The pagination of an operation, as far as its client needs it.
#[derive(Clone, Debug)]
pub(crate) struct Paging {
    /// The query parameter with the position of a page.
    pub(crate) parameter: String,
    pub(crate) position: PositionType,
    pub(crate) next: NextPosition,
    /// The way to the items. Empty where the response is the list.
    pub(crate) items: Vec<Step>,
    /// The type of an item.
    pub(crate) item: Type,
    /// A boolean that is false in the last page.
    pub(crate) more: Option<Vec<Step>>,
}

/// The type of the position of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PositionType {
    Text,
    Integer(Width),
}

/// The source of the position of the next page.
#[derive(Clone, Debug)]
pub(crate) enum NextPosition {
    /// A text of the response, which is the position.
    Cursor(Vec<Step>),
    /// A URL of the response, whose query has the position.
    Url(Vec<Step>),
    /// The URL in the header `Link`.
    Link,
    /// A number of the response, which is the position.
    Number(Vec<Step>),
    /// The text of the last item with this field.
    LastItem(Step),
    /// The offset, and the number of items; the total of the list, if the response has it.
    Offset { first: i64, total: Option<Vec<Step>> },
    /// The number of the page, and one; the number of the last page, if the response has it.
    Page { first: i64, last: Option<Vec<Step>> },
}

/// A property on a way through a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// Its name in the document.
    pub(crate) property: String,
    /// Its field in Rust.
    pub(crate) field: String,
    /// True if the field is an `Option`.
    pub(crate) optional: bool,
}
