//! open-wearables (FastAPI and PostgreSQL), at a given address: no registry has it.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::by_address;
use crate::environment::Environment;
use crate::load::Load;
use crate::measure::alternate;
use crate::population::KEY;
use crate::reads::{pages, point_paths};
use crate::results::{Comparison, Target};
use crate::service::{get_with, start};

/// Header of its API key.
const HEADER: &str = "X-Open-Wearables-API-Key";

pub(super) fn run(environment: &Environment) -> Result<Vec<Comparison>> {
    let [url, key] = by_address(["OPEN_WEARABLES_SERVER", "OPEN_WEARABLES_KEY"])?;
    let url = url.trim_end_matches('/');
    let page = "/api/v1/users?limit=100";
    let first: Value = serde_json::from_slice(&get_with(&format!("{url}{page}"), HEADER, &key)?)?;
    let there = first["items"].as_array().context("it has no page of users")?;
    ensure!(there.len() == 100, "it has {} users, and 100 are read", there.len());
    let ids = there
        .iter()
        .map(|user| user["id"].as_str().context("a user without an id"));
    let points: Vec<_> = ids
        .map(|id| Ok(format!("/api/v1/users/{}", id?)))
        .collect::<Result<_>>()?;
    let users = environment.scale.users[0];
    let service = start(&environment.wearlab(&environment.stored(users)?, &[]))?;
    let header = format!("{HEADER}: {key}");
    let theirs = |name: &str, paths: Vec<String>| Load::with_header(&environment.scratch(name)?, paths, &header);
    let loads = [
        (
            "read one user",
            Load::with_key(
                &environment.scratch("users-ours")?,
                point_paths(users).take(points.len()),
                KEY,
            )?,
            theirs("users-theirs", points)?,
        ),
        (
            "list 100 users",
            pages(&environment.scratch("page-ours")?, 0)?,
            theirs("page-theirs", vec![page.into()])?,
        ),
    ];
    let span = environment.scale.span;
    let compare = |(what, ours, theirs): &(&str, Load, Load)| {
        Ok(Comparison {
            what: format!("{what} of {users}"),
            reference: "open-wearables with as many users as it has: no teams, entity tags or connections in a user"
                .into(),
            unit: "requests/s".into(),
            target: Target::None,
            rounds: alternate(
                environment.scale.rounds,
                || ours.requests_per_second(&service.url(), span),
                || theirs.requests_per_second(url, span),
            )?,
        })
    };
    loads.iter().map(compare).collect()
}
