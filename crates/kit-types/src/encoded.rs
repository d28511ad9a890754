//! JSON bytes that encode a value of a type.

use std::fmt;
use std::marker::PhantomData;

use bytes::Bytes;
use serde::Serialize;

use crate::Page;

/// The JSON text of a `T`, ready to be sent.
///
/// It is made by encoding a `T`, or from stored bytes of one; services pass it through instead of
/// decoding and encoding again. `Debug` shows only its length.
pub struct Encoded<T> {
    json: Bytes,
    of: PhantomData<fn() -> T>,
}

impl<T> Encoded<T> {
    /// Takes bytes that were stored of an `Encoded<T>`. The caller vouches for them.
    pub fn from_stored(json: impl Into<Bytes>) -> Self {
        Self {
            json: json.into(),
            of: PhantomData,
        }
    }

    /// The JSON text.
    pub fn as_bytes(&self) -> &[u8] {
        &self.json
    }

    /// The JSON text.
    pub fn into_bytes(self) -> Bytes {
        self.json
    }
}

impl<T: Serialize> Encoded<T> {
    /// Encodes a value.
    ///
    /// # Errors
    ///
    /// If `T` cannot be written as JSON, which no generated type is.
    pub fn encode(value: &T) -> serde_json::Result<Self> {
        serde_json::to_vec(value).map(Self::from_stored)
    }

    /// An object with encoded items in its list of the name `field`: `envelope` is the object without them. The caller
    /// vouches that the list is one of such items.
    ///
    /// # Errors
    ///
    /// If `field` is not an empty list of the envelope.
    pub fn with_list<I>(envelope: &T, field: &str, items: &[Encoded<I>]) -> serde_json::Result<Self> {
        let serde_json::Value::Object(members) = serde_json::to_value(envelope)? else {
            return Err(serde::ser::Error::custom("an envelope is an object"));
        };
        if members
            .get(field)
            .and_then(|list| list.as_array())
            .is_none_or(|list| !list.is_empty())
        {
            return Err(serde::ser::Error::custom("the list of an envelope is there, and empty"));
        }
        let mut json = Vec::with_capacity(length(items) + 128);
        for (index, (name, value)) in members.iter().enumerate() {
            json.push(if index == 0 { b'{' } else { b',' });
            serde_json::to_writer(&mut json, name)?;
            json.push(b':');
            if name == field {
                push_list(&mut json, items);
            } else {
                serde_json::to_writer(&mut json, value)?;
            }
        }
        json.push(b'}');
        Ok(Self::from_stored(json))
    }
}

impl<T> Encoded<Vec<T>> {
    /// A list of encoded items.
    pub fn list(items: &[Encoded<T>]) -> Self {
        let mut json = Vec::with_capacity(length(items) + 2);
        push_list(&mut json, items);
        Self::from_stored(json)
    }
}

impl<P: Page + Serialize> Encoded<P> {
    /// A page of encoded items: `envelope` is the page without them.
    ///
    /// # Errors
    ///
    /// If the envelope cannot be written as JSON, which no generated type is.
    pub fn page(envelope: &P, items: &[Encoded<P::Item>]) -> serde_json::Result<Self> {
        Self::with_list(envelope, P::ITEMS, items)
    }
}

fn length<T>(items: &[Encoded<T>]) -> usize {
    items.iter().map(|item| item.json.len() + 1).sum()
}

fn push_list<T>(json: &mut Vec<u8>, items: &[Encoded<T>]) {
    json.push(b'[');
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            json.push(b',');
        }
        json.extend_from_slice(&item.json);
    }
    json.push(b']');
}

impl<T> Clone for Encoded<T> {
    fn clone(&self) -> Self {
        Self::from_stored(self.json.clone())
    }
}

impl<T> PartialEq for Encoded<T> {
    fn eq(&self, other: &Self) -> bool {
        self.json == other.json
    }
}

impl<T> fmt::Debug for Encoded<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Encoded({} bytes)", self.json.len())
    }
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    use super::Encoded;
    use crate::Page;

    #[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
    struct Marker {
        id: i64,
        name: String,
    }

    #[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
    struct MarkerList {
        markers: Vec<Marker>,
        total: i64,
        next_cursor: Option<String>,
    }

    impl Page for MarkerList {
        type Item = Marker;
        type Position = String;
        const ITEMS: &'static str = "markers";

        fn into_items(self) -> Vec<Marker> {
            self.markers
        }

        fn next_position(&self) -> Option<String> {
            self.next_cursor.clone()
        }
    }

    #[test]
    fn a_page_of_encoded_items_is_the_encoded_page() {
        let marker = r#"{"id":1,"name":"\"markers\":["}"#;
        for count in 0..3 {
            let markers = vec![marker; count].join(",");
            let text = format!(r#"{{"markers":[{markers}],"total":9,"next_cursor":null}}"#);
            let page: MarkerList = serde_json::from_str(&text).expect("a page");
            let items: Vec<Encoded<Marker>> = page
                .markers
                .iter()
                .map(|item| Encoded::encode(item).expect("encodes"))
                .collect();
            let mut envelope = page.clone();
            envelope.markers.clear();
            let spliced = Encoded::page(&envelope, &items).expect("a page");
            assert_eq!(spliced, Encoded::encode(&page).expect("encodes"));
            assert_eq!(spliced.as_bytes(), text.as_bytes(), "a required null is written");
        }
    }

    #[test]
    fn lists_are_spliced_into_empty_ones() {
        let none = MarkerList {
            markers: Vec::new(),
            total: 2,
            next_cursor: None,
        };
        let marker = || Encoded::<Marker>::from_stored("{}");
        let text = Encoded::with_list(&none, "markers", &[marker(), marker()]);
        let text = text.expect("a list");
        assert_eq!(text.as_bytes(), br#"{"markers":[{},{}],"total":2,"next_cursor":null}"#);

        let full = MarkerList {
            markers: vec![Marker {
                id: 1,
                name: String::new(),
            }],
            ..none
        };
        assert!(
            Encoded::page(&full, &[]).is_err(),
            "an envelope that holds items already is a mistake"
        );
    }
}
