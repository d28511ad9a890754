//! Charts of a user's data, with at most one point for each pixel of the plot, whatever the span.

mod buckets;
mod kind;
mod page;
mod request;
mod series;
mod sleep;
mod table;

pub(super) use self::page::show;
pub(super) use self::series::get as series;
pub(super) use self::table::show as table;
