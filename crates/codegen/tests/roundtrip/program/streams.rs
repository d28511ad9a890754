//! Bodies in parts: sent in small ones, and received completely.

use futures_util::{TryStreamExt, stream};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use wearlab_client::Error;
use wearlab_server::{ApiError, ByteStream, Lines};

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

fn text(bytes: Vec<u8>) -> Value {
    String::from_utf8(bytes).expect("text").into()
}
