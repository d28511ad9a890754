//! Tests of the administration of an organisation with its management key.

mod audit_log;
mod database;
pub(crate) mod deliveries;
mod keys;
mod pipelines;
mod processes;
pub(crate) mod receiver;
mod secret_versions;
mod teams;
mod webhook_actions;
mod webhooks;

use reqwest::Method;
use reqwest::header::HeaderMap;
use serde_json::Value;
use wearlab_tests::Running;

/// Received response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

impl Answer {
    /// Returns the body of a success with this status.
    pub(crate) fn ok(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.body);
        self.body
    }

    /// Returns the locations of the errors in the request.
    pub(crate) fn locations(&self) -> Vec<&str> {
        assert_eq!(self.status, 422, "{}", self.body);
        let errors = self.body["errors"].as_array().expect("errors");
        errors
            .iter()
            .map(|error| error["location"].as_str().expect("a location"))
            .collect()
    }

    pub(crate) fn location(&self) -> &str {
        self.headers["location"].to_str().expect("text")
    }
}

/// Administrator of an organisation, over HTTP.
pub(crate) struct Admin {
    url: String,
    org: String,
    key: String,
}

impl Admin {
    pub(crate) fn of(running: &Running) -> Self {
        Self {
            url: running.management_url.clone(),
            org: running.sample.org_id.clone(),
            key: running.sample.management_key.clone(),
        }
    }

    /// Returns the same administrator with another key.
    fn with(&self, key: &str) -> Self {
        Self {
            url: self.url.clone(),
            org: self.org.clone(),
            key: key.to_owned(),
        }
    }

    /// Returns a path below the organisation.
    fn path(&self, path: &str) -> String {
        format!("/v1/org/{}{path}", self.org)
    }

    async fn send(&self, method: Method, path: &str, headers: &[(&str, &str)], body: Option<&Value>) -> Answer {
        let path = match path.starts_with("/v1/") {
            true => path.to_owned(),
            false => self.path(path),
        };
        let mut request = wearlab_tests::http()
            .request(method, format!("{}{path}", self.url))
            .header("x-management-key", &self.key);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        let response = request.send().await.expect("a response");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = response.bytes().await.expect("a body");
        let body = if body.is_empty() {
            Value::Null
        } else {
            serde_json::from_slice(&body).expect("JSON")
        };
        Answer { status, headers, body }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, &[], None).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send(Method::POST, path, &[], Some(body)).await
    }

    async fn repeatable(&self, path: &str, key: &str, body: &Value) -> Answer {
        self.send(Method::POST, path, &[("idempotency-key", key)], Some(body))
            .await
    }

    pub(crate) async fn put(&self, path: &str, body: &Value) -> Answer {
        self.send(Method::PUT, path, &[], Some(body)).await
    }

    async fn patch(&self, path: &str, body: &Value) -> Answer {
        self.send(Method::PATCH, path, &[], Some(body)).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        self.send(Method::DELETE, path, &[], None).await
    }
}

/// Returns the status of a read with a team's key.
async fn read_as(running: &Running, key: &str) -> u16 {
    let request = wearlab_tests::http().get(format!("{}/v2/user/", running.url));
    let response = request.header("x-service-api-key", key).send().await;
    response.expect("a response").status().as_u16()
}

/// Reads the files of a directory.
fn files(directory: &std::path::Path) -> Vec<Vec<u8>> {
    let entries = std::fs::read_dir(directory).expect("a directory");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths
        .filter(|path| path.is_file())
        .map(|path| std::fs::read(path).expect("a file"))
        .collect()
}

/// Returns whether the files of a store contain a text.
pub(crate) fn is_in_files(running: &Running, text: &str) -> bool {
    let found = |bytes: &Vec<u8>| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    files(running.directory()).iter().any(found)
}
