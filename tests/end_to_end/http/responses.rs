//! Entity tags, 304, HEAD, compression and caching, of all operations that read.

use async_compression::tokio::bufread::{BrotliDecoder, GzipDecoder, ZstdDecoder};
use tokio::io::{AsyncRead, AsyncReadExt};
use wearlab_http::{CATALOGUES, VALIDATED};
use wearlab_tests::Running;

use super::{operations, send};

async fn decoded(coding: &str, body: &[u8]) -> Vec<u8> {
    let mut decoder: Box<dyn AsyncRead + Unpin + Send> = match coding {
        "gzip" => Box::new(GzipDecoder::new(body)),
        "br" => Box::new(BrotliDecoder::new(body)),
        "zstd" => Box::new(ZstdDecoder::new(body)),
        other => panic!("{other} was not asked for"),
    };
    let mut plain = Vec::new();
    decoder.read_to_end(&mut plain).await.expect("what the header says");
    plain
}

#[tokio::test]
async fn every_operation_has_tags_304_and_head_in_every_coding() {
    let running = Running::start(40).await;
    let mut compressed = 0;
    for (id, address, (name, key)) in operations(&running) {
        let key = (name, key.as_str());
        let plain = send("GET", &address, &[key]).await;
        assert_eq!(plain.status, 200, "{id}");
        let mut tags = vec![plain.header("etag").expect("a tag").to_owned()];
        for coding in ["identity", "gzip", "br", "zstd"] {
            let asked = [key, ("accept-encoding", coding)];
            let response = send("GET", &address, &asked).await;
            assert_eq!(response.status, 200, "{id}");
            let large = plain.body.len() >= 1024;
            let coded = large && coding != "identity";
            assert_eq!(response.header("content-encoding"), coded.then_some(coding), "{id}");
            assert_eq!(response.header("vary"), large.then_some("accept-encoding"), "{id}");
            let tag = response.header("etag").expect("a tag").to_owned();
            if coded {
                compressed += 1;
                assert!(response.body.len() < plain.body.len());
                assert_eq!(decoded(coding, &response.body).await, plain.body, "{id} {coding}");
                assert!(!tags.contains(&tag), "other bytes, another strong tag");
                tags.push(tag.clone());
            } else {
                assert_eq!((&response.body, &tag), (&plain.body, &tags[0]));
            }

            let head = send("HEAD", &address, &asked).await;
            assert_eq!((head.status, head.body.len()), (200, 0), "{id}");
            let length = plain.body.len().to_string();
            assert_eq!(head.header("content-length"), (!coded).then_some(&*length), "{id}");
            for same in ["etag", "vary", "content-type", "content-encoding", "cache-control"] {
                assert_eq!(head.header(same), response.header(same), "{id} {same}");
            }

            for method in ["GET", "HEAD"] {
                let known = format!("\"other\", W/{tag}");
                let fresh = send(
                    method,
                    &address,
                    &[key, ("accept-encoding", coding), ("if-none-match", &known)],
                )
                .await;
                assert_eq!((fresh.status, fresh.body.len()), (304, 0), "{id}");
                for same in ["etag", "vary", "cache-control"] {
                    assert_eq!(fresh.header(same), response.header(same), "{id} {same}");
                }
                for gone in [
                    "content-type",
                    "content-length",
                    "content-encoding",
                    "transfer-encoding",
                ] {
                    assert_eq!(fresh.header(gone), None, "{id} {gone}");
                }
            }
            let stale = send(
                "GET",
                &address,
                &[key, ("accept-encoding", coding), ("if-none-match", "\"other\"")],
            )
            .await;
            assert_eq!((stale.status, stale.body), (200, response.body), "{id}");
        }
        let refused = send("GET", &address, &[key, ("accept", "text/html")]).await;
        assert_eq!((refused.status, &*refused.problem()), (406, "not-acceptable"), "{id}");
    }
    assert!(
        compressed >= 3 * 5,
        "at least five responses are large enough: {compressed}"
    );
}

#[tokio::test]
async fn who_takes_no_coding_that_there_is_gets_a_406() {
    let running = Running::start(40).await;
    for (id, address, (name, key)) in operations(&running) {
        let key = (name, key.as_str());
        for refused in [
            "identity;q=0",
            "*;q=0",
            "deflate, identity;q=0",
            "identity;q=0, gzip;q=0, *;q=0",
        ] {
            for method in ["GET", "HEAD"] {
                let response = send(method, &address, &[key, ("accept-encoding", refused)]).await;
                assert_eq!(
                    (response.status, response.header("etag")),
                    (406, None),
                    "{id} {refused}"
                );
                assert_eq!(
                    response.header("content-type"),
                    Some("application/problem+json"),
                    "{id}"
                );
                assert_eq!(response.header("vary"), Some("accept-encoding"), "{id}");
                if method == "GET" {
                    assert_eq!(response.problem(), "not-acceptable", "{id}");
                }
            }
            let known = [key, ("accept-encoding", refused), ("if-none-match", "*")];
            assert_eq!(send("GET", &address, &known).await.status, 406, "{id}");
        }
        // Also if it is small.
        let coded = send("GET", &address, &[key, ("accept-encoding", "gzip, identity;q=0")]).await;
        assert_eq!(
            (coded.status, coded.header("content-encoding")),
            (200, Some("gzip")),
            "{id}"
        );
        let plain = send("GET", &address, &[key]).await;
        assert_eq!(decoded("gzip", &coded.body).await, plain.body, "{id}");
        assert_ne!(coded.header("etag"), plain.header("etag"), "{id}");
        // An error is more helpful than a 406.
        let error = send("GET", &address, &[("accept-encoding", "identity;q=0")]).await;
        assert_eq!((error.status, &*error.problem()), (401, "unauthorized"), "{id}");
    }
}

#[tokio::test]
async fn caches_store_catalogues_and_nothing_of_a_user() {
    let running = Running::start(5).await;
    let (mut unstored, mut not_modified) = (0, 0);
    for (id, address, (name, key)) in operations(&running) {
        let response = send("GET", &address, &[(name, &key)]).await;
        let expected = if CATALOGUES.contains(&id) {
            "private, max-age=300"
        } else if VALIDATED.contains(&id) {
            "private, no-cache"
        } else {
            unstored += 1;
            "no-store"
        };
        assert_eq!(response.header("cache-control"), Some(expected), "{id}");
        // A client with its own copy revalidates it, even if caches must not store it.
        if let Some(tag) = response.header("etag") {
            let again = send("GET", &address, &[(name, &key), ("if-none-match", tag)]).await;
            assert_eq!(
                (again.status, again.header("cache-control")),
                (304, Some(expected)),
                "{id}"
            );
            assert!(again.body.is_empty(), "{id}");
            not_modified += usize::from(expected == "no-store");
        }
        let refused = send("GET", &address, &[]).await;
        assert_eq!((refused.status, &*refused.problem()), (401, "unauthorized"), "{id}");
    }
    assert!(unstored > 20 && not_modified > 15, "{unstored} {not_modified}");
}

#[tokio::test]
async fn a_tag_stays_while_the_content_does() {
    let running = Running::start(5).await;
    let address = format!("{}/v2/user/{}", running.url, running.sample.user_id);
    let key = ("x-service-api-key", running.sample.team_api_key.as_str());
    let (first, again) = (send("GET", &address, &[key]).await, send("GET", &address, &[key]).await);
    assert_eq!(first.header("etag"), again.header("etag"));
    let tag = first.header("etag").expect("a tag");

    // Another team's key sees nothing of it, with or without a tag.
    let other = ("x-service-api-key", running.sample.other_team.team_api_key.as_str());
    for known in [tag, "*"] {
        let hidden = send("GET", &address, &[other, ("if-none-match", known)]).await;
        assert_eq!((hidden.status, &*hidden.problem()), (404, "not-found"));
        assert_eq!(hidden.header("etag"), None);
    }
}

#[tokio::test]
async fn the_documents_have_tags_and_codings_too() {
    let running = Running::start(5).await;
    for (path, kind) in [
        ("/openapi.json", "application/json"),
        ("/openapi.yaml", "application/yaml"),
        ("/asyncapi.json", "application/json"),
    ] {
        let address = format!("{}{path}", running.url);
        let response = send("GET", &address, &[("accept-encoding", "gzip"), ("accept", kind)]).await;
        assert_eq!(
            (response.status, response.header("content-encoding")),
            (200, Some("gzip"))
        );
        let tag = response.header("etag").expect("a tag");
        let fresh = send("GET", &address, &[("accept-encoding", "gzip"), ("if-none-match", tag)]).await;
        assert_eq!(fresh.status, 304);
    }
    let yaml = send(
        "GET",
        &format!("{}/openapi.yaml", running.url),
        &[("accept", "application/json")],
    )
    .await;
    assert_eq!(yaml.status, 406);
}

#[tokio::test]
async fn every_response_has_a_request_id_and_a_media_type_to_trust() {
    let running = Running::start(5).await;
    for path in ["/v2/providers/", "/nothing", "/livez", "/metrics", "/openapi.json"] {
        let address = format!("{}{path}", running.url);
        let response = send("GET", &address, &[("x-request-id", "caller-7")]).await;
        assert_eq!(response.header("x-request-id"), Some("caller-7"), "{path}");
        assert_eq!(response.header("x-content-type-options"), Some("nosniff"), "{path}");
        let response = send("POST", &address, &[]).await;
        assert!(response.header("x-request-id").is_some_and(|id| id.starts_with("req_")));
        assert_eq!(response.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert!(
            response.status == 405 && response.header("allow") == Some("GET,HEAD") || response.status == 404,
            "{path}"
        );
    }
}

#[tokio::test]
async fn every_response_of_a_deprecated_operation_says_so_and_no_other() {
    let running = Running::start(5).await;
    let mut deprecated = Vec::new();
    for operation in wearlab_tests::reads() {
        let url = format!("{}{}", running.url, operation.path);
        if operation.deprecation.is_none() && operation.id != "list_lab_tests" {
            continue;
        }
        let tag = "*";
        for (header, value) in [
            ("x-service-api-key", "no key"),
            ("x-service-api-key", &running.sample.team_api_key),
        ] {
            let request = wearlab_tests::http().get(&url).header(header, value);
            for request in [
                request.try_clone().expect("a request"),
                request.header("if-none-match", tag),
            ] {
                let response = request.send().await.expect("a response");
                let value = |name: &str| {
                    response
                        .headers()
                        .get(name)
                        .map(|value| value.to_str().expect("text").to_owned())
                };
                let expected = operation.deprecation.map(|deprecation| deprecation.since.to_owned());
                assert_eq!(value("deprecation"), expected, "{} {}", operation.id, response.status());
                let expected = operation.deprecation.and_then(|deprecation| deprecation.sunset);
                assert_eq!(
                    value("sunset").as_deref(),
                    expected,
                    "{} {}",
                    operation.id,
                    response.status()
                );
            }
        }
        deprecated.extend(operation.deprecation.map(|_| operation.id));
    }
    assert_eq!(deprecated, ["list_all_lab_tests"]);
    let document: serde_json::Value =
        serde_json::from_str(include_str!("../../../crates/server/src/generated/openapi.json")).expect("JSON");
    let operations = document["paths"]
        .as_object()
        .into_iter()
        .flat_map(|paths| paths.values());
    let operations = operations
        .filter_map(|path| path.as_object())
        .flat_map(|methods| methods.values());
    let marked = operations.filter(|operation| operation["deprecated"] == true);
    let marked: Vec<_> = marked
        .map(|operation| operation["operationId"].as_str().expect("an id"))
        .collect();
    assert_eq!(marked, deprecated, "each has the date of its deprecation");
}
