//! Test doubles: `wearlab demo` against mock servers, from their start.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use wearlab_tests::process::free_port;
use wearlab_tests::process::usage::memory;

use super::install::npm;
use super::peer::Peer;
use crate::environment::Environment;
use crate::load::Load;
use crate::measure::{Rounds, alternate};
use crate::results::{Comparison, Target};
use crate::service::{KEY_HEADER, get_as};

const PRISM: &str = "@stoplight/prism-cli@5.16.0";
const SCALAR: &str = "@scalar/mock-server@0.14.4";
/// Serves what the mock server is, a function, over HTTP.
const NODE_SERVER: &str = "@hono/node-server@1.19.19";
const WIREMOCK: &str = "wiremock@3.13.2";
/// The document that is served.
pub(super) const DOCUMENT: &str = "crates/server/src/generated/openapi.json";

/// `wearlab demo`, which ends with this.
struct Demo {
    child: Child,
    url: String,
    key: String,
    /// A user that it has.
    path: String,
    started: f64,
}

/// Against Prism.
pub(super) fn prism(environment: &Environment) -> Result<Vec<Comparison>> {
    let installed = npm(environment, &[PRISM])?;
    let what =
        "Prism 5.16.0 as a mock: examples of the document, validated requests; no state, no real keys, no entity tags";
    compare(environment, what, |port, _, _| {
        let mut command = Command::new("node");
        command
            .arg(installed.join("node_modules/.bin/prism"))
            .args(["mock", "--host", "127.0.0.1", "--port", port]);
        command.arg(environment.root.join(DOCUMENT));
        Ok(command)
    })
}

/// Against Scalar's.
pub(super) fn scalar(environment: &Environment) -> Result<Vec<Comparison>> {
    let installed = npm(environment, &[SCALAR, NODE_SERVER])?;
    // Node looks for packages from where a program is.
    let program = installed.join("scalar.mjs");
    std::fs::copy(environment.root.join("tests/bench/peers/scalar.mjs"), &program)?;
    let what =
        "@scalar/mock-server 0.14.4: examples of the document; no state, no validation, no real keys, no entity tags";
    compare(environment, what, |port, _, _| {
        let mut command = Command::new("node");
        command.arg(&program).arg(environment.root.join(DOCUMENT)).arg(port);
        Ok(command)
    })
}

/// Against WireMock, which has one answer, that of the demo.
pub(super) fn wiremock(environment: &Environment) -> Result<Vec<Comparison>> {
    let installed = npm(environment, &[WIREMOCK])?;
    let jar = installed.join("node_modules/wiremock/build/wiremock-standalone-3.13.2.jar");
    let what = "WireMock 3.13.2, one fixed answer for a path with its key: no state, no validation, no entity tags";
    compare(environment, what, |port, demo, directory| {
        let body = String::from_utf8(get_as(&format!("{}{}", demo.url, demo.path), &demo.key)?)?;
        let mappings = directory.join("mappings");
        std::fs::create_dir_all(&mappings)?;
        let mapping = json!({
            "request": {"method": "GET", "urlPath": demo.path, "headers": {KEY_HEADER: {"equalTo": demo.key}}},
            "response": {"status": 200, "body": body, "headers": {"Content-Type": "application/json"}},
        });
        std::fs::write(mappings.join("user.json"), mapping.to_string())?;
        let mut command = Command::new("java");
        command.arg("-jar").arg(&jar).args([
            "--bind-address",
            "127.0.0.1",
            "--disable-banner",
            "--no-request-journal",
        ]);
        command.args(["--port", port, "--root-dir"]).arg(directory);
        Ok(command)
    })
}

/// Starts both, and measures that, requests, and memory after these.
fn compare(
    environment: &Environment,
    reference: &str,
    command: impl Fn(&str, &Demo, &Path) -> Result<Command>,
) -> Result<Vec<Comparison>> {
    let (rounds, span) = (environment.scale.rounds, environment.scale.span);
    let directory = environment.scratch("double")?;
    let demo = Demo::start(environment, &environment.scratch("demo-of-peers")?)?;
    let begin = || {
        let address = free_port()?;
        let command = command(&address.port().to_string(), &demo, &directory)?;
        Peer::start(command, &directory, format!("http://{address}"), &demo.path, &demo.key)
    };
    let peer = begin()?;
    let load = Load::with_key(&directory, [demo.path.clone()], &demo.key)?;
    let requests = alternate(
        rounds,
        || load.requests_per_second(&demo.url, span),
        || load.requests_per_second(peer.url(), span),
    )?;
    let memory = Rounds {
        ours: vec![memory(demo.child.id())?.peak as f64 / 1024.0],
        reference: vec![peer.memory()?],
    };
    let first = Rounds {
        ours: vec![demo.started],
        reference: vec![peer.started()],
    };
    drop(peer);
    let starts = match environment.scale.smoke {
        true => first,
        false => alternate(
            rounds,
            || Ok(Demo::start(environment, &environment.scratch("demo-started")?)?.started),
            || Ok(begin()?.started()),
        )?,
    };
    let comparison = |what: &str, unit: &str, rounds| Comparison {
        what: format!("wearlab demo, {what}"),
        reference: reference.into(),
        unit: unit.into(),
        target: Target::None,
        rounds,
    };
    Ok(vec![
        comparison("read one user", "requests/s", requests),
        comparison("start to the first 200", "ms", starts),
        comparison("most memory under that load", "MiB", memory),
    ])
}

impl Demo {
    fn start(environment: &Environment, directory: &Path) -> Result<Self> {
        let log = std::fs::File::create(directory.join("demo.log"))?;
        let begun = Instant::now();
        let mut command = Command::new(&environment.binary);
        command
            .args(["demo", "--json", "--listen", "127.0.0.1:0"])
            .current_dir(directory);
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log).spawn();
        let mut demo = Self {
            child: child.context("cannot start the demo")?,
            url: String::new(),
            key: String::new(),
            path: String::new(),
            started: 0.0,
        };
        let mut line = String::new();
        BufReader::new(demo.child.stdout.take().context("no output")?).read_line(&mut line)?;
        let said: Value = serde_json::from_str(&line).context("the demo says no JSON")?;
        let field = |name: &str| Ok::<_, anyhow::Error>(said[name].as_str().context("a field is missing")?.to_owned());
        (demo.url, demo.key) = (field("base_url")?, field("team_api_key")?);
        let page = get_as(&format!("{}/v2/user?limit=1", demo.url), &demo.key)?;
        demo.started = begun.elapsed().as_secs_f64() * 1e3;
        let page: Value = serde_json::from_slice(&page)?;
        let user = page["users"][0]["user_id"].as_str().context("the demo has no user")?;
        demo.path = format!("/v2/user/{user}");
        Ok(demo)
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
