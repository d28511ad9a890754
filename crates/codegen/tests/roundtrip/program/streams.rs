//! Bodies in parts: sent in small ones, and received completely.

use futures_util::{TryStreamExt, stream};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use wearlab_client::Error;
use wearlab_server::{ApiError, ByteStream, EventStream, Lines, ServerSentEvent};

use crate::service::{Answer, read, written};

impl Answer for Result<String, ApiError> {
    fn of(value: &Value) -> Self {
        Ok(read(value))
    }
}

impl Answer for Result<ByteStream, ApiError> {
    fn of(value: &Value) -> Self {
        let bytes: String = read(value);
        let parts: Vec<_> = bytes.into_bytes().chunks(3).map(|part| Ok(part.to_vec().into())).collect();
        Ok(ByteStream::new(stream::iter(parts)))
    }
}

impl<T: DeserializeOwned + Send + 'static> Answer for Result<Lines<T>, ApiError> {
    fn of(value: &Value) -> Self {
        Ok(read::<Vec<T>>(value).into())
    }
}

impl<T: DeserializeOwned + Send + 'static> Answer for Result<EventStream<T>, ApiError> {
    fn of(value: &Value) -> Self {
        Ok(read::<Vec<ServerSentEvent<T>>>(value).into())
    }
}

/// The bytes that the implementer receives, as a text.
pub(crate) async fn received_bytes(stream: ByteStream) -> Result<Value, ApiError> {
    Ok(text(stream.try_collect::<Vec<_>>().await?.concat()))
}

/// The values that the implementer receives.
pub(crate) async fn received_lines<T: Serialize>(lines: Lines<T>) -> Result<Value, ApiError> {
    lines.map_ok(|value| written(&value)).try_collect::<Vec<_>>().await.map(Value::from)
}

/// The bytes that the client receives, as a text.
pub(crate) async fn all_bytes(stream: wearlab_client::ByteStream) -> Result<Value, Error> {
    Ok(text(stream.try_collect::<Vec<_>>().await?.concat()))
}

/// The values that the client receives.
pub(crate) async fn all_lines<T>(lines: wearlab_client::Lines<T>) -> Result<Value, Error>
where
    T: Serialize + DeserializeOwned,
{
    let values: Vec<T> = lines.try_collect().await?;
    Ok(written(&values))
}

/// The events that the client receives.
pub(crate) async fn all_events<T: Serialize>(events: wearlab_client::EventStream<T>) -> Result<Value, Error> {
    let events: Vec<_> = events.try_collect().await?;
    Ok(written(&events))
}

#[tokio::test]
async fn events_of_other_services_are_read() {
    const EVENTS: &str = "\u{feff}: begins\r\n\r\ndata: 1\r\n\r\ndata: x\n\nevent: last\rid: 7\rdata:\rdata: 2\r\r\
                          data: [DONE]\n\ndata: 3\n\n";
    let respond = || async {
        let parts = EVENTS.as_bytes().chunks(2).map(Ok::<_, std::io::Error>);
        let body = axum::body::Body::from_stream(stream::iter(parts));
        (axum::http::StatusCode::CREATED, body)
    };
    let app = axum::Router::new().fallback(axum::routing::any(respond));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move { axum::serve(listener, app).await });
    let client = crate::operations::client(&format!("http://{address}"));
    let mut events = client.count_up().send().await.expect("events").into_inner();
    let first = events.try_next().await.expect("an event").expect("no end");
    assert_eq!((first.data, first.event, first.id), (1, None, None));
    assert!(matches!(events.try_next().await, Err(Error::Decoding { .. })), "x is no number");
    let last = events.try_next().await.expect("an event").expect("no end");
    assert_eq!((last.data, last.event.as_deref(), last.id.as_deref()), (2, Some("last"), Some("7")));
    assert!(events.try_next().await.expect("the end").is_none(), "nothing follows [DONE]");
    let events = client.count_up().send().await.expect("events").into_inner().into_text();
    let texts: Vec<_> = events.map_ok(|event| event.data).try_collect().await.expect("texts");
    assert_eq!(texts, ["1", "x", "\n2", "[DONE]", "3"]);
}

fn text(bytes: Vec<u8>) -> Value {
    String::from_utf8(bytes).expect("text").into()
}
