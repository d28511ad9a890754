//! Invalid bodies: the status of each, and a problem document with the location.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread;

use serde_json::Value;
use wearlab_server::{ApiError, MapError, router};

use crate::operations::ALL;
use crate::service::Service;

/// Maximum length of a body that is read whole: axum's default.
const MOST: usize = 2 * 1024 * 1024;

const JSON: &str = "application/json";
const FORM: &str = "application/x-www-form-urlencoded";
const LINES: &str = "application/x-ndjson";
const TEXT: &str = "text/plain";
const PARTS: &str = "multipart/form-data; boundary=b";

/// A body, its status, and the location of the violation.
type Case = (&'static str, &'static str, Vec<u8>, u16, Option<&'static str>);

fn cases() -> Vec<Case> {
    let (parcel, file, text) = ("POST /headers/parcels", "PUT /contents/file", "POST /contents/text");
    let (lines, form, nested) = ("POST /contents/samples", "POST /contents/form", "POST /contents/nested");
    let (document, pictures) = ("POST /uploads/documents", "PUT /uploads/pictures");
    vec![
        (parcel, TEXT, b"{\"text\":\"a\"}".to_vec(), 415, None),
        (parcel, JSON, vec![b' '; MOST + 1], 413, None),
        (parcel, JSON, b"{\"text\":".to_vec(), 400, None),
        (parcel, JSON, b"{\"text\":\"a\"} x".to_vec(), 400, None),
        (parcel, JSON, b"{\"text\":5}".to_vec(), 422, Some("/body/text")),
        (parcel, JSON, b"{}".to_vec(), 422, Some("/body/text")),
        (parcel, JSON, b"[]".to_vec(), 422, Some("/body")),
        (parcel, JSON, Vec::new(), 422, Some("/body")),
        (lines, JSON, b"{\"value\":1}\n".to_vec(), 415, None),
        (lines, LINES, b"{\"value\":1}\n{\"val".to_vec(), 400, None),
        (lines, LINES, b"{\"value\":1}\n{\"value\":\"a\"}\n".to_vec(), 422, Some("/body/1/value")),
        (form, JSON, b"name=a".to_vec(), 415, None),
        (form, FORM, vec![b'a'; MOST + 1], 413, None),
        (form, FORM, b"name=a&count=x&at=2024-12-31T08:00:00Z".to_vec(), 422, Some("/body/count")),
        (form, FORM, b"name=a&at=2024-12-31T08:00:00Z".to_vec(), 422, Some("/body/count")),
        (nested, FORM, b"count=1&lines[0][price]=1&lines[1][price]=x".to_vec(), 422, Some("/body/lines/1/price")),
        (nested, FORM, b"count=1&address[gift]=true".to_vec(), 422, Some("/body/address/price")),
        (nested, FORM, b"count=1&address=a&address[price]=1".to_vec(), 422, Some("/body/address")),
        (nested, FORM, b"count=1&lines[a][price]=1".to_vec(), 422, Some("/body/lines")),
        ("GET /path_parameters/1-2/v3/other.csv", TEXT, Vec::new(), 404, None),
        ("GET /path_parameters/12/v3/report.csv", TEXT, Vec::new(), 404, None),
        ("PUT /path_parameters/a.xml", TEXT, Vec::new(), 404, None),
        (document, FORM, b"title=a".to_vec(), 415, None),
        (document, "multipart/form-data", b"--b--\r\n".to_vec(), 400, None),
        (document, PARTS, vec![b'a'; MOST + 1], 413, None),
        (document, PARTS, b"--b\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\na".to_vec(), 400, None),
        (document, PARTS, parts(&[TITLE, PAGES, AUTHOR]), 422, Some("/body/document")),
        (document, PARTS, parts(&[TITLE, ("pages", "", "x"), AUTHOR, FILE]), 422, Some("/body/pages")),
        (document, PARTS, parts(&[TITLE, TITLE, PAGES, AUTHOR, FILE]), 422, Some("/body/title")),
        (document, PARTS, parts(&[TITLE, PAGES, ("author", "", "{}"), FILE]), 422, Some("/body/author/name")),
        (document, PARTS, parts(&[TITLE, PAGES, ("author", TEXT, "{}"), FILE]), 422, Some("/body/author")),
        (document, PARTS, parts(&[TITLE, PAGES, ("author", JSON, "{"), FILE]), 422, Some("/body/author")),
        (document, PARTS, parts(&[TITLE, PAGES, AUTHOR, FILE, ("scan", TEXT, "a")]), 422, Some("/body/scan")),
        (document, PARTS, parts(&[TITLE, PAGES, AUTHOR, ("document", "", LONG)]), 422, Some("/body/document")),
        (document, PARTS, parts(&[TITLE, PAGES, AUTHOR, FILE, MORE, MORE, MORE, MORE]), 422, Some("/body/attachments")),
        (pictures, PARTS, parts(&[("other", "", "a")]), 422, Some("/body/other")),
        (text, JSON, b"a".to_vec(), 415, None),
        (text, TEXT, vec![b'a'; MOST + 1], 413, None),
        (text, TEXT, b"\xff".to_vec(), 422, Some("/body")),
        (file, JSON, b"a".to_vec(), 415, None),
    ]
}

/// A part: its name, its media type if it has one, and its content.
type Part = (&'static str, &'static str, &'static str);

const TITLE: Part = ("title", "", "a");
const PAGES: Part = ("pages", "text/plain; charset=utf-8", "3");
const AUTHOR: Part = ("author", JSON, "{\"name\":\"Ada\"}");
const FILE: Part = ("document", "", "a");
const MORE: Part = ("attachments", "image/png", "a");
/// One byte more than the document allows.
const LONG: &str = match std::str::from_utf8(&[b'a'; 1001]) {
    Ok(text) => text,
    Err(_) => "",
};

/// A body of parts.
fn parts(parts: &[Part]) -> Vec<u8> {
    let part = |(name, media_type, content): &Part| {
        let media_type = match *media_type {
            "" => String::new(),
            media_type => format!("Content-Type: {media_type}\r\n"),
        };
        format!("--b\r\nContent-Disposition: form-data; name=\"{name}\"\r\n{media_type}\r\n{content}\r\n")
    };
    let parts: String = parts.iter().map(part).collect();
    (parts + "--b--\r\n").into_bytes()
}

/// The status and the body of a response.
fn send(address: SocketAddr, key: &str, case: &Case) -> (u16, String) {
    let (operation, media_type, body, ..) = case;
    let length = body.len();
    let head = format!(
        "{operation} HTTP/1.1\r\nhost: test\r\n{key}: {ALL}\r\ncontent-type: {media_type}\r\ncontent-length: {length}\r\n\
         connection: close\r\n\r\n"
    );
    let mut stream = TcpStream::connect(address).expect("a connection");
    let mut to = stream.try_clone().expect("a second handle");
    let request = [head.as_bytes(), body].concat();
    // The server may respond before it has read all.
    let sent = thread::spawn(move || drop(to.write_all(&request)));
    let mut response = Vec::new();
    let _ = stream.read_to_end(&mut response);
    sent.join().expect("no panic");
    let response = String::from_utf8(response).expect("text");
    let status = response.split(' ').nth(1).and_then(|status| status.parse().ok());
    let body = response.split_once("\r\n\r\n").map(|(_, body)| body.to_owned());
    (status.unwrap_or_default(), body.unwrap_or_default())
}

#[test]
fn errors_of_invalid_requests_have_a_body_of_the_service() {
    let described: Value = serde_json::from_str(include_str!("operations.json")).expect("JSON");
    let key = described["document"]["components"]["securitySchemes"]["teamApiKey"]["name"].as_str();
    let map = MapError::new(|error| {
        let violations = error.violations().iter().map(|violation| violation.location.as_str());
        let body = serde_json::json!({ "error": error.detail(), "at": violations.collect::<Vec<_>>() });
        (error.status() == 422).then(|| ApiError::with_body(400, JSON, &body))
    });
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let listener = runtime
        .block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))
        .expect("a port");
    let address = listener.local_addr().expect("an address");
    let app = router(Arc::new(Service::default())).layer(axum::Extension(map));
    runtime.spawn(async move { axum::serve(listener, app).await });
    let key = key.expect("the header of the key");
    let parcel = "POST /headers/parcels";
    let (status, text) = send(address, key, &(parcel, JSON, b"{\"text\":5}".to_vec(), 400, None));
    let body: Value = serde_json::from_str(&text).expect("JSON");
    let expected = serde_json::json!({ "error": "One value of the request is not valid.", "at": ["/body/text"] });
    assert_eq!((status, body), (400, expected));
    let (status, text) = send(address, key, &(parcel, TEXT, b"a".to_vec(), 415, None));
    let body: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((status, &body["status"]), (415, &415.into()), "others are problem documents");
}

#[test]
fn bodies_that_do_not_fit_are_refused() {
    let described: Value = serde_json::from_str(include_str!("operations.json")).expect("JSON");
    let key = described["document"]["components"]["securitySchemes"]["teamApiKey"]["name"].as_str();
    let key = key.expect("the header of the key");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let listener = runtime
        .block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))
        .expect("a port");
    let address = listener.local_addr().expect("an address");
    let app = router(Arc::new(Service::default()));
    runtime.spawn(async move { axum::serve(listener, app).await });
    for case in cases() {
        let (operation, media_type, body, expected, at) = &case;
        let what = format!("{operation} {media_type} {} bytes", body.len());
        let (status, text) = send(address, key, &case);
        assert_eq!(status, *expected, "{what}: {text}");
        let problem: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{what}: {error}: {text}"));
        assert_eq!(problem["status"], *expected, "{what}: {text}");
        let location = problem["errors"][0]["location"].as_str();
        assert_eq!(location, *at, "{what}: {text}");
    }
}
