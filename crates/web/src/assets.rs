//! Scripts and styles of pages, embedded in the binary, at URLs that contain a hash of their content, so that browsers
//! can cache them for ever.

use axum::http::header::CACHE_CONTROL;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

/// `Cache-Control` of a versioned URL, whose content never changes.
const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// Embedded file: its name, such as `page.js`, and its content.
pub(crate) type File = (&'static str, &'static str);

/// Files of a group of pages.
pub(crate) struct Assets(Vec<Asset>);

struct Asset {
    name: &'static str,
    /// Name with the version.
    versioned: String,
    url: String,
    content: &'static str,
}

impl Assets {
    /// Creates the assets under a path, such as `/console/assets`.
    pub(crate) fn new(path: &str, files: &[File]) -> Self {
        let assets = files.iter().map(|&(name, content)| {
            let (stem, extension) = name.rsplit_once('.').unwrap_or((name, "txt"));
            let versioned = format!("{stem}.{}.{extension}", version(content));
            let url = format!("{path}/{versioned}");
            Asset {
                name,
                versioned,
                url,
                content,
            }
        });
        Self(assets.collect())
    }

    /// Returns the URL of a file.
    pub(crate) fn url(&self, name: &str) -> &str {
        let found = self.0.iter().find(|asset| asset.name == name);
        found.map_or("", |asset| &asset.url)
    }

    /// Returns the response to a request for a versioned name.
    pub(crate) fn get(&self, versioned: &str) -> Response {
        let Some(asset) = self.0.iter().find(|asset| asset.versioned == versioned) else {
            return StatusCode::NOT_FOUND.into_response();
        };
        let mut response = wearlab_server::content(kind(asset.name), asset.content);
        let own = HeaderName::from_static("cross-origin-resource-policy");
        for (name, value) in [
            (CACHE_CONTROL, IMMUTABLE),
            (own, HeaderValue::from_static("same-origin")),
        ] {
            response.headers_mut().insert(name, value);
        }
        response
    }
}

/// Returns the first digits of the content's hash.
fn version(content: &str) -> String {
    let hash = Sha256::digest(content);
    data_encoding::HEXLOWER.encode(&hash[..6])
}

fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.') {
        Some((_, "js")) => "text/javascript; charset=utf-8",
        Some((_, "css")) => "text/css; charset=utf-8",
        Some((_, "svg")) => "image/svg+xml",
        _ => "text/plain; charset=utf-8",
    }
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;
    use axum::http::header::{CONTENT_TYPE, ETAG};

    use super::Assets;

    #[test]
    fn a_file_is_served_at_the_url_of_its_version_alone() {
        let assets = Assets::new("/assets", &[("page.js", "let a"), ("page.css", "a{}")]);
        let url = assets.url("page.js");
        let versioned = url.strip_prefix("/assets/").expect("the path");
        let response = assets.get(versioned);
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()[CONTENT_TYPE], "text/javascript; charset=utf-8");
        assert!(response.headers().contains_key(ETAG));
        let other = Assets::new("/assets", &[("page.js", "let b")]);
        assert_ne!(other.url("page.js"), url, "another content has another URL");
        for wrong in ["page.js", "page.css", "", "../page.js", &versioned.to_uppercase()] {
            assert_eq!(assets.get(wrong).status(), StatusCode::NOT_FOUND, "{wrong}");
        }
    }
}
