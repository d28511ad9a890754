//! Streams over the pages of a list.

#![allow(dead_code, clippy::allow_attributes, reason = "the document decides what is needed")]

use futures_util::stream::{Stream, TryStreamExt, iter, try_unfold};
use wearlab_models::Page;

use crate::{Error, Response};

/// The page that `call` asks for, and all pages after it. Each is asked for when the one before was taken.
pub(crate) fn pages<C, P, A>(
    call: C,
    at: impl Fn(C, P::Position) -> C + Copy,
    send: impl Fn(C) -> A + Copy,
) -> impl Stream<Item = Result<P, Error>>
where
    C: Clone,
    P: Page,
    P::Position: Clone + PartialEq,
    A: Future<Output = Result<Response<P>, Error>>,
{
    try_unfold(
        Some((None, call)),
        move |state: Option<(Option<P::Position>, C)>| async move {
            let Some((position, call)) = state else { return Ok(None) };
            let asked = match position.clone() {
                Some(position) => at(call.clone(), position),
                None => call.clone(),
            };
            let page = send(asked).await?.into_inner();
            let next = page.next_position();
            if next.is_some() && next == position {
                return Err(Error::Paging);
            }
            Ok(Some((page, next.map(|next| (Some(next), call)))))
        },
    )
}

/// The items of pages, one by one.
pub(crate) fn items<P: Page>(
    pages: impl Stream<Item = Result<P, Error>>,
) -> impl Stream<Item = Result<P::Item, Error>> {
    pages
        .map_ok(|page| iter(page.into_items().into_iter().map(Ok)))
        .try_flatten()
}
