//! Files in bodies of several parts: names, media types, bytes that are not text, files on disk, and progress.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::body::Bytes;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::{Router, routing};
use serde_json::json;
use wearlab_client::UploadProgress;
use wearlab_models::multipart::{Part, parse};
use wearlab_models::{DocumentUpload, FileContent, FilePart};

use crate::operations::client;

/// Parts of a request.
type Received = Arc<Mutex<Vec<(Option<String>, Bytes)>>>;

/// A service that records the requests, and refuses the first one.
async fn service(received: Received) -> SocketAddr {
    let keep = move |headers: HeaderMap, body: Bytes| async move {
        let text = |name| Some(headers.get(name)?.to_str().ok()?.to_owned());
        let mut all = received.lock().expect("a lock");
        all.push((text(CONTENT_TYPE), body));
        if all.len() == 1 { StatusCode::TOO_MANY_REQUESTS } else { StatusCode::NO_CONTENT }
    };
    let app = Router::new().fallback(routing::any(keep));
    let app = app.layer(axum::extract::DefaultBodyLimit::disable());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move { axum::serve(listener, app).await });
    address
}

fn upload(document: FilePart, scan: FilePart) -> DocumentUpload {
    let whole = json!({ "title": "a", "pages": 3, "author": { "name": "Ada" }, "document": "" });
    let mut upload: DocumentUpload = serde_json::from_value(whole).expect("an upload");
    upload.document = document;
    upload.scan = Some(scan);
    upload
}

fn part(name: &str, filename: &str, content_type: &str, content: &[u8]) -> Part {
    Part {
        name: name.to_owned(),
        filename: Some(filename.to_owned()),
        content_type: Some(content_type.to_owned()),
        content: FileContent::Bytes(content.to_vec().into()),
    }
}

#[tokio::test]
async fn files_of_the_disk_are_sent_as_they_are() {
    // Not text, and longer than one read.
    let content: Vec<u8> = (0..300_000_u32).map(|at| (at * 7 % 251) as u8).collect();
    let path = std::env::temp_dir().join(format!("roundtrip-{}.bin", std::process::id()));
    std::fs::write(&path, &content).expect("a file");
    let document = FilePart::open(&path).expect("a file");
    let scan = FilePart::new(vec![0xff, 0]).with_filename("a \"b\".jpg").with_content_type("image/jpeg");
    let received = Received::default();
    let address = service(Arc::clone(&received)).await;
    let told: Arc<Mutex<Vec<UploadProgress>>> = Arc::default();
    let teller = Arc::clone(&told);
    let client = client(&format!("http://{address}"));
    let call = client
        .add_document(upload(document, scan))
        .on_progress(move |progress| teller.lock().expect("a lock").push(progress));
    assert!(call.clone().send().await.is_err(), "the first is refused");
    told.lock().expect("a lock").clear();
    call.send().await.expect("the second is accepted, with the file read again");
    std::fs::remove_file(&path).expect("it is removed");
    let received = received.lock().expect("a lock");
    let (content_type, body) = &received[1];
    let parts = parse(content_type.as_deref().expect("a media type"), body.clone()).expect("parts");
    let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
    let found = |name: &str| parts.iter().find(|part| part.name == name);
    let document = part("document", name, "application/octet-stream", &content);
    assert_eq!(found("document"), Some(&document));
    assert_eq!(found("scan"), Some(&part("scan", "a %22b%22.jpg", "image/jpeg", &[0xff, 0])));
    assert_eq!(received[0].1.len(), body.len(), "both have all of it");
    let told = told.lock().expect("a lock");
    let length = body.len() as u64;
    assert!(told.len() > 4, "{} parts", told.len());
    assert!(told.iter().all(|progress| progress.total == Some(length)));
    assert_eq!(told.last().map(|progress| progress.sent), Some(length));
}
