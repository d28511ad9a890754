//! Test doubles: `wearlab demo` and the server of wearlab-mock, compared with mock servers, including their start.

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use serde_json::json;
use wearlab_tests::process::free_port;

use super::install::npm;
use super::ours::{self, Double};
use super::peer::Peer;
use crate::environment::Environment;
use crate::load::Load;
use crate::measure::{Rounds, alternate};
use crate::results::{Comparison, Target};
use crate::service::{KEY_HEADER, get_as};

const PRISM: &str = "@stoplight/prism-cli@5.16.0";
const SCALAR: &str = "@scalar/mock-server@0.14.4";
/// Package that serves the mock, a handler function, over HTTP.
const NODE_SERVER: &str = "@hono/node-server@1.19.19";
const WIREMOCK: &str = "wiremock@3.13.2";
/// Served document.
pub(super) const DOCUMENT: &str = "crates/server/src/generated/openapi.json";

/// Compares with Prism.
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

/// Compares with Scalar's mock server.
pub(super) fn scalar(environment: &Environment) -> Result<Vec<Comparison>> {
    let installed = npm(environment, &[SCALAR, NODE_SERVER])?;
    // Node searches for packages from the directory of a program.
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

/// Compares with WireMock, which has one response, that of the demo.
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

/// Starts each of Wearlab's doubles and the peer. Measures the start, requests, and the memory after these.
fn compare(
    environment: &Environment,
    reference: &str,
    command: impl Fn(&str, &Double, &Path) -> Result<Command>,
) -> Result<Vec<Comparison>> {
    let (rounds, span) = (environment.scale.rounds, environment.scale.span);
    let directory = environment.scratch("double")?;
    let demo = Double::demo(environment, &environment.scratch("demo-of-peers")?)?;
    let begin = || {
        let address = free_port()?;
        let command = command(&address.port().to_string(), &demo, &directory)?;
        Peer::start(command, &directory, format!("http://{address}"), &demo.path, &demo.key)
    };
    let user = directory.join("user.json");
    std::fs::write(&user, get_as(&format!("{}{}", demo.url, demo.path), &demo.key)?)?;
    let server = ours::build(environment)?;
    let mock = Double::mock(&server, &user, &demo)?;
    let load = Load::with_key(&directory, [demo.path.clone()], &demo.key)?;
    let mut results = Vec::new();
    for ours in [&demo, &mock] {
        let peer = begin()?;
        let requests = alternate(
            rounds,
            || load.requests_per_second(&ours.url, span),
            || load.requests_per_second(peer.url(), span),
        )?;
        let memory = Rounds {
            ours: vec![ours.memory()?],
            reference: vec![peer.memory()?],
        };
        let first = Rounds {
            ours: vec![ours.started],
            reference: vec![peer.started()],
        };
        drop(peer);
        let again = || match ours.name == demo.name {
            true => Double::demo(environment, &environment.scratch("demo-started")?),
            false => Double::mock(&server, &user, &demo),
        };
        let starts = match environment.scale.smoke {
            true => first,
            false => alternate(rounds, || Ok(again()?.started), || Ok(begin()?.started()))?,
        };
        let comparison = |what: &str, unit: &str, rounds| Comparison {
            what: format!("{}, {what}", ours.name),
            reference: reference.into(),
            unit: unit.into(),
            target: Target::None,
            rounds,
        };
        results.extend([
            comparison("read one user", "requests/s", requests),
            comparison("start to the first 200", "ms", starts),
            comparison("most memory under that load", "MiB", memory),
        ]);
    }
    Ok(results)
}
