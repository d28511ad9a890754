//! Error of a client without TLS when it is built. `.ci/tls` runs this with each feature and with none.

use wearlab_client::{Client, Error};

const TLS: bool = cfg!(any(feature = "rustls", feature = "native-tls"));

#[test]
fn https_needs_a_feature() {
    for (url, https) in [
        ("http://127.0.0.1:8080", false),
        ("https://127.0.0.1:8080", true),
        ("HTTPS://127.0.0.1:8080", true),
    ] {
        for other in ["http://127.0.0.1:8081", "https://127.0.0.1:8081"] {
            let client = Client::builder().base_url(url).management_url(other).build();
            if TLS || !https && !other.starts_with("https") {
                client.expect("a client");
                continue;
            }
            let error = client.expect_err("no client");
            assert!(matches!(error, Error::InvalidRequest(_)), "{error:?}");
            let text = error.to_string();
            assert!(text.contains("`rustls` or `native-tls`"), "{text}");
        }
    }
    // One of the caller's own may have it.
    let own = Client::builder().base_url("https://127.0.0.1:8080");
    own.http_client(reqwest::Client::new()).build().expect("a client");
}
