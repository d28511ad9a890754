//! Pages that streams hold, and their requests for more.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use futures_core::Stream;
use wearlab_kit_types::Page;

use super::{Fetch, Items, Paged, PagedCall, Pages, positions};
use crate::{Error, Response};

/// Two items that record when they are dropped.
struct Two {
    items: Vec<Arc<()>>,
    next: Option<u32>,
}

impl Page for Two {
    type Item = Arc<()>;
    type Position = u32;
    const ITEMS: &'static str = "items";

    fn into_items(self) -> Vec<Self::Item> {
        self.items
    }

    fn next_position(&self) -> Option<u32> {
        self.next
    }
}

/// A service with one page that arrives, and one that does not.
#[derive(Clone)]
struct Service {
    item: Arc<()>,
    asked: Arc<Mutex<Vec<u32>>>,
    position: u32,
}

impl Service {
    fn new() -> Self {
        Self {
            item: Arc::new(()),
            asked: Arc::default(),
            position: 0,
        }
    }

    fn asked(&self) -> Vec<u32> {
        self.asked.lock().expect("not poisoned").clone()
    }
}

impl<'a> Paged<'a> for Service {
    type Page = Two;

    fn at(self, position: u32) -> Self {
        Self { position, ..self }
    }

    fn fetch(self) -> Fetch<'a, Two> {
        self.asked.lock().expect("not poisoned").push(self.position);
        if self.position > 0 {
            return Box::pin(std::future::pending());
        }
        let items = vec![Arc::default(), Arc::default()];
        // Both are counted with the service's own.
        let items = items.into_iter().map(|_: Arc<()>| self.item.clone()).collect();
        let page = Two { items, next: Some(1) };
        Box::pin(async { Ok(Response::of(page)) })
    }
}

fn poll<S: Stream + Unpin>(stream: &mut S) -> Poll<Option<S::Item>> {
    Pin::new(stream).poll_next(&mut Context::from_waker(Waker::noop()))
}

#[test]
fn no_page_is_held_while_the_next_one_is_on_its_way() {
    let service = Service::new();
    let alone = Arc::strong_count(&service.item);
    let mut items = Items::new(service.clone());
    assert_eq!(service.asked(), [0; 0], "nothing is asked for before it is wanted");
    // The stream has a call of its own, which counts as one.
    let alone = alone + 1;
    let first = poll(&mut items);
    assert_eq!(Arc::strong_count(&service.item), alone + 2);
    drop(first);
    assert_eq!(
        Arc::strong_count(&service.item),
        alone + 1,
        "what is taken is the caller's"
    );
    drop(poll(&mut items));
    assert_eq!(
        Arc::strong_count(&service.item),
        alone,
        "a page goes with its last item"
    );
    assert_eq!(service.asked(), [0]);
    assert!(poll(&mut items).is_pending());
    assert!(poll(&mut items).is_pending());
    assert_eq!(service.asked(), [0, 1], "each page is asked for once");
    assert_eq!(Arc::strong_count(&service.item), alone, "and nothing is held meanwhile");
}

#[test]
fn a_page_that_was_not_awaited_is_asked_for_by_the_next_stream() {
    let service = Service::new();
    let mut pages = Pages::new(service.clone());
    assert!(poll(&mut pages).is_ready());
    assert!(poll(&mut pages).is_pending());
    assert_eq!(pages.next_position(), Some(&1));
    drop(pages);

    let mut items = Items::new(service.clone());
    for _ in 0..2 {
        assert!(poll(&mut items).is_ready());
    }
    assert!(poll(&mut items).is_pending());
    let position = items.position().expect("a place");
    let mut resumed = items.resume_at(position);
    assert!(poll(&mut resumed).is_pending());
    assert_eq!(service.asked(), [0, 1, 0, 1, 1]);
}

/// A service whose response has a number of items, and a position that is computed from the one of the request.
#[derive(Clone)]
struct Cursors {
    position: u32,
    next: fn(u32) -> Option<u32>,
    counted: bool,
}

impl<'a> PagedCall<'a> for Cursors {
    type Page = Vec<u32>;
    type Item = u32;
    type Position = u32;
    const ITEMS: &'static str = "";

    fn at(self, position: u32) -> Self {
        Self { position, ..self }
    }

    fn fetch(self) -> Fetch<'a, Vec<u32>> {
        let item = if self.counted { 0 } else { self.position };
        Box::pin(async move { Ok(Response::of(vec![item])) })
    }

    fn next(&self, _: &Response<Vec<u32>>) -> Result<Option<u32>, Error> {
        Ok((self.next)(self.position))
    }

    fn into_items(page: Vec<u32>) -> Vec<u32> {
        page
    }

    fn fingerprint(page: &Vec<u32>) -> Option<u64> {
        match page.as_slice() {
            [0] => positions::fingerprint(page),
            _ => None,
        }
    }
}

/// The pages until the end, or until an error.
fn pages(call: Cursors) -> (usize, Option<Error>) {
    let mut pages = Pages::new(call);
    for count in 0..1000 {
        match poll(&mut pages) {
            Poll::Ready(Some(Ok(_))) => {}
            Poll::Ready(Some(Err(error))) => return (count, Some(error)),
            Poll::Ready(None) => return (count, None),
            Poll::Pending => panic!("pages arrive at once"),
        }
    }
    panic!("the list does not end");
}

#[test]
fn the_call_of_a_page_finds_the_next_position() {
    let next = |position| (position < 9).then_some(position + 3);
    let call = Cursors {
        position: 0,
        next,
        counted: false,
    };
    assert!(matches!(pages(call), (4, None)));
}

#[test]
fn circles_end_with_an_error() {
    let circles: [fn(u32) -> Option<u32>; 3] = [
        |at| Some(at.min(1) + 4),
        |at| Some((at + 1) % 7),
        |at| Some(if at < 20 { at + 1 } else { 17 }),
    ];
    for next in circles {
        let call = Cursors {
            position: 1,
            next,
            counted: false,
        };
        let (count, error) = pages(call);
        assert!(
            matches!(error, Some(Error::Paging)) && count < 40,
            "{count} pages, then {error:?}"
        );
    }
}

#[test]
fn a_service_that_ignores_the_position_ends_with_an_error() {
    let call = Cursors {
        position: 1,
        next: |at| Some(at + 1),
        counted: true,
    };
    assert!(matches!(pages(call), (1, Some(Error::Paging))));
}
