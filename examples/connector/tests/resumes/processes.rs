//! Processes of the test: the simulated provider, and the connector.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use chrono::NaiveDate;
use serde_json::{Value, json};
use wearlab_client::models::Uuid;
use wearlab_tests::Running;

/// Simulated provider.
pub(crate) struct Simulation {
    pub(crate) url: String,
    process: Child,
}

impl Simulation {
    pub(crate) fn start() -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_simulated_provider"));
        let mut process = command.stdout(Stdio::piped()).spawn().expect("a process");
        let mut url = String::new();
        let output = process.stdout.take().expect("its output");
        BufReader::new(output).read_line(&mut url).expect("its URL");
        Self {
            url: url.trim().to_owned(),
            process,
        }
    }

    /// Returns an access token of a new account.
    pub(crate) async fn consent(&self) -> String {
        let http = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .expect("a client");
        let url = format!("{}/oauth/authorize?redirect_uri=http://127.0.0.1/&state=s", self.url);
        let response = http.get(url).send().await.expect("a response");
        let location = response.headers()["location"].to_str().expect("text").to_owned();
        let code = location
            .split("code=")
            .nth(1)
            .and_then(|rest| rest.split('&').next())
            .expect("a code");
        let form = format!("grant_type=authorization_code&code={code}");
        let request = http.post(format!("{}/oauth/token", self.url)).body(form);
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        let token: Value = request.send().await.expect("a response").json().await.expect("a token");
        token["access_token"].as_str().expect("a token").to_owned()
    }

    /// Returns all items of some days, by its API.
    pub(crate) async fn all(&self, token: &str, kind: &str, first: NaiveDate, last: NaiveDate) -> Vec<Value> {
        let (mut all, mut page) = (Vec::new(), json!(1));
        while !page.is_null() {
            let url = format!("{}/v1/{kind}?from={first}&to={last}&page={page}", self.url);
            let response = reqwest::Client::new()
                .get(url)
                .bearer_auth(token)
                .send()
                .await
                .expect("a response");
            if response.status() == 429 {
                tokio::time::sleep(Duration::from_millis(500)).await;
                continue;
            }
            let mut found: Value = response.json().await.expect("a page");
            all.append(found["items"].as_array_mut().expect("items"));
            page = found["next"].take();
        }
        all
    }

    /// Changes days.
    pub(crate) async fn sync(&self, days: &[NaiveDate]) {
        let request = reqwest::Client::new()
            .post(format!("{}/simulation/sync", self.url))
            .json(days);
        assert!(request.send().await.expect("a response").status().is_success());
    }

    /// Returns the number of requests that were rejected by the rate limit.
    pub(crate) async fn limited(&self) -> u64 {
        let response = reqwest::get(format!("{}/simulation/limited", self.url)).await;
        response.expect("a response").json().await.expect("a number")
    }
}

impl Drop for Simulation {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// Connector with its directory, which outlives its processes.
pub(crate) struct Connector {
    directory: tempfile::TempDir,
    variables: BTreeMap<&'static str, String>,
}

impl Connector {
    pub(crate) fn new(running: &Running, provider_url: &str) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let sample = &running.sample;
        let variables = BTreeMap::from([
            ("WEARLAB_BASE_URL", running.url.clone()),
            ("WEARLAB_MANAGEMENT_URL", running.management_url.clone()),
            ("WEARLAB_API_KEY", sample.team_api_key.clone()),
            ("WEARLAB_MANAGEMENT_KEY", sample.management_key.clone()),
            ("WEARLAB_ORG_ID", sample.org_id.clone()),
            ("WEARLAB_TEAM_ID", sample.team_id.to_string()),
            ("PROVIDER_URL", provider_url.to_owned()),
            ("CONNECTOR_DATA", directory.path().to_string_lossy().into_owned()),
        ]);
        Self { directory, variables }
    }

    /// Starts a round.
    pub(crate) fn start(&self) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_connector"));
        command.envs(&self.variables).spawn().expect("a process")
    }

    /// Runs a whole round.
    pub(crate) fn run(&self) {
        let status = self.start().wait().expect("an end");
        assert!(status.success(), "{status}");
    }

    /// Returns the next chunk of a user's history; 0 without a cursor.
    pub(crate) fn chunk(&self, user: Uuid) -> u64 {
        let text = fs::read(self.directory.path().join(format!("{user}.json"))).unwrap_or_default();
        let kept: Value = serde_json::from_slice(&text).unwrap_or_default();
        kept["cursor"]["chunk"].as_u64().unwrap_or_default()
    }

    /// Returns the current cursors.
    pub(crate) fn cursors(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let entries = fs::read_dir(self.directory.path()).expect("a directory");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        let cursors = paths.filter(|path| path.extension().is_some_and(|extension| extension == "json"));
        cursors
            .map(|path| (path.clone(), fs::read(path).expect("a file")))
            .collect()
    }

    /// Restores cursors.
    pub(crate) fn restore(&self, cursors: &[(PathBuf, Vec<u8>)]) {
        for (path, text) in cursors {
            fs::write(path, text).expect("a file");
        }
    }
}
