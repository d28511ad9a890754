//! Parses a received body into its parts.

use std::convert::Infallible;

use bytes::Bytes;
use futures_util::{FutureExt, stream};

use super::Part;
use crate::FileContent;

/// Error of a body that is not made of parts.
#[derive(Debug)]
pub struct Malformed;

/// The parts of a body, by the boundary of its media type.
///
/// # Errors
///
/// [`Malformed`] for a body that is not made of parts, each with a name.
pub fn parse(content_type: &str, body: Bytes) -> Result<Vec<Part>, Malformed> {
    let boundary = multer::parse_boundary(content_type).map_err(|_| Malformed)?;
    let whole = stream::once(async { Ok::<_, Infallible>(body) });
    // The body is whole: it never waits.
    let parts = read(multer::Multipart::new(whole, boundary)).now_or_never();
    parts.and_then(Result::ok).ok_or(Malformed)
}

async fn read(mut multipart: multer::Multipart<'_>) -> Result<Vec<Part>, Malformed> {
    let mut parts = Vec::new();
    while let Some(field) = multipart.next_field().await.map_err(|_| Malformed)? {
        let content_type = field.headers().get("content-type").map(|value| value.to_str());
        let content_type = content_type.transpose().map_err(|_| Malformed)?.map(str::to_owned);
        parts.push(Part {
            name: field.name().ok_or(Malformed)?.to_owned(),
            filename: field.file_name().map(str::to_owned),
            content_type,
            content: FileContent::Bytes(field.bytes().await.map_err(|_| Malformed)?),
        });
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = "--b\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nA\r\n\
        --b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x.csv\"\r\nContent-Type: text/csv\r\n\r\n1\r\n2\r\n--b--\r\n";

    #[test]
    fn parts_have_names_types_and_content() {
        let parts = parse("multipart/form-data; boundary=b", Bytes::from_static(BODY.as_bytes())).expect("parts");
        let file = Part {
            name: "file".to_owned(),
            filename: Some("x.csv".to_owned()),
            content_type: Some("text/csv".to_owned()),
            content: FileContent::Bytes(Bytes::from_static(b"1\r\n2")),
        };
        assert_eq!((parts.len(), &parts[1]), (2, &file));
        assert_eq!((parts[0].name.as_str(), &parts[0].content_type), ("title", &None));
    }

    #[test]
    fn a_body_without_an_end_or_a_boundary_is_malformed() {
        let body = Bytes::from_static(BODY.as_bytes());
        assert!(parse("multipart/form-data", body.clone()).is_err());
        assert!(parse("multipart/form-data; boundary=c", body.clone()).is_err());
        assert!(parse("multipart/form-data; boundary=b", body.slice(..body.len() - 6)).is_err());
        let nameless = Bytes::from_static(b"--b\r\nContent-Disposition: form-data\r\n\r\nA\r\n--b--\r\n");
        assert!(parse("multipart/form-data; boundary=b", nameless).is_err());
    }
}
