//! Datasette on the service's SQLite file.

use std::process::Command;

use anyhow::Result;
use wearlab_tests::process::free_port;

use super::install::pip;
use super::peer::Peer;
use crate::environment::Environment;
use crate::load::Load;
use crate::measure::alternate;
use crate::population::{KEY, TEAM, user_id};
use crate::reads::{pages, point_paths};
use crate::results::{Comparison, Target};
use crate::service::start;

const PACKAGE: &str = "datasette==0.65.5";

/// Number of users that are requested in turns. Datasette caches a statement for each.
const REQUESTED_USERS: u32 = 1000;

pub(super) fn run(environment: &Environment) -> Result<Vec<Comparison>> {
    let installed = pip(environment, &[PACKAGE])?;
    let users = environment.scale.users[0];
    let stored = environment.stored(users)?;
    let service = start(&environment.wearlab(&stored, &[]))?;
    let directory = environment.scratch("datasette")?;
    let address = free_port()?;
    let mut command = Command::new(installed.join("bin/datasette"));
    command
        .arg("serve")
        .arg("--immutable")
        .arg(stored.join("data/wearlab.db"));
    command.args(["--host", "127.0.0.1", "--port", &address.port().to_string()]);
    // A query must not fail on a busy machine.
    command.args(["--setting", "sql_time_limit_ms", "30000"]);
    let team = TEAM.simple();
    let one = |user: u32| {
        let id = user_id(user).simple();
        query(&format!(
            "select document from users where user_id = x'{id}' and team_id = x'{team}'"
        ))
    };
    let page = query(&format!(
        "select document from users where team_id = x'{team}' order by created_on, user_id limit 100"
    ));
    let peer = Peer::start(command, &directory, format!("http://{address}"), &page, KEY)?;
    let loads = [
        (
            "read one user",
            Load::new(&environment.scratch("datasette-ours")?, point_paths(users))?,
            Load::new(
                &environment.scratch("datasette-one")?,
                (0..users.min(REQUESTED_USERS)).map(one),
            )?,
        ),
        (
            "list 100 users",
            pages(&environment.scratch("datasette-pages")?, 0)?,
            Load::new(&environment.scratch("datasette-page")?, [page.clone()])?,
        ),
    ];
    let span = environment.scale.span;
    let compare = |(what, ours, theirs): &(&str, Load, Load)| {
        Ok(Comparison {
            what: format!("{what} of {users}"),
            reference: "datasette 0.65.5 on the same file: no keys, teams, validation or entity tags".into(),
            unit: "requests/s".into(),
            target: Target::None,
            rounds: alternate(
                environment.scale.rounds,
                || ours.requests_per_second(&service.url(), span),
                || theirs.requests_per_second(peer.url(), span),
            )?,
        })
    };
    loads.iter().map(compare).collect()
}

/// Returns the path of a query that returns an array of documents.
fn query(sql: &str) -> String {
    let sql: String = percent_encoding::utf8_percent_encode(sql, percent_encoding::NON_ALPHANUMERIC).to_string();
    format!("/wearlab.json?_shape=arrayfirst&sql={sql}")
}
