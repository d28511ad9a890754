//! Lists that are read and sent in parts.

use axum::body::Bytes;
use futures_util::stream::{self, Stream, StreamExt};
use serde::Serialize;
use wearlab_models::Encoded;
use wearlab_server::{ApiError, Parts};

/// Streams a list of the items of pages. `envelope` is the list without them, and `field` the name of their field.
pub(super) fn list<L: Serialize, I: 'static>(
    envelope: &L,
    field: &str,
    pages: impl Stream<Item = Result<Vec<Encoded<I>>, ApiError>> + Send + 'static,
) -> Result<Parts<L>, ApiError> {
    let empty = Encoded::with_list::<I>(envelope, field, &[]).map_err(ApiError::internal)?;
    let (begin, end) = divided(empty.into_bytes(), field)?;
    let mut is_first = true;
    let parts = pages.map(move |page| {
        let mut part = Vec::new();
        for item in page? {
            if !std::mem::take(&mut is_first) {
                part.push(b',');
            }
            part.extend_from_slice(item.as_bytes());
        }
        Ok(Bytes::from(part))
    });
    let one = |bytes| stream::iter([Ok(bytes)]);
    Ok(Parts::new(one(begin).chain(parts).chain(one(end))))
}

/// Splits an empty list into the text before and after its items.
fn divided(empty: Bytes, field: &str) -> Result<(Bytes, Bytes), ApiError> {
    let list = format!("\"{field}\":[");
    let at = empty.windows(list.len()).position(|window| window == list.as_bytes());
    let at = at.ok_or_else(|| ApiError::internal("an envelope has no list"))? + list.len();
    Ok((empty.slice(..at), empty.slice(at..)))
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse;
    use serde_json::json;
    use wearlab_server::Reply;

    use super::{Encoded, list, stream};

    #[tokio::test]
    async fn items_of_pages_become_one_list() {
        let envelope = json!({"a": [], "items": [], "z": 1});
        let item = |number: i32| Encoded::<i32>::encode(&number).expect("JSON");
        for (pages, expected) in [
            (vec![], "[]"),
            (vec![vec![]], "[]"),
            (vec![vec![1, 2], vec![], vec![3]], "[1,2,3]"),
        ] {
            let pages = pages.into_iter().map(|page| Ok(page.into_iter().map(item).collect()));
            let pages: Vec<_> = pages.collect();
            let parts = list(&envelope, "items", stream::iter(pages)).expect("a list");
            let response = Reply::Parts(parts).into_response();
            assert!(!response.headers().contains_key("etag"));
            assert_eq!(response.headers()["content-type"], "application/json");
            let body = axum::body::to_bytes(response.into_body(), usize::MAX).await;
            let expected = format!("{{\"a\":[],\"items\":{expected},\"z\":1}}");
            assert_eq!(body.expect("a body"), expected);
        }
    }
}
