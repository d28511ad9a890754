//! Memory and start time of the service.

use anyhow::{Context, Result, ensure};
use wearlab_tests::process::usage::memory;
use wearlab_tests::process::{Service, Wearlab};

use crate::environment::{Environment, PAGE_CACHE};
use crate::load::Load;
use crate::results::{Found, Printed};
use crate::service::{Bare, get, start, until_answered};

/// Maximum memory of the service above a bare axum process, in MiB.
const MAX_MEMORY: f64 = 25.0;
/// Path of a search.
const DIAGNOSES: &str = "/v3/insurance/search/diagnosis?diagnosis_query=fever";
/// Number of users of a page.
const PAGE: u32 = 500;

pub(crate) fn run(environment: &Environment) -> Result<Found> {
    let most = environment.scale.most();
    let bare = Bare::start(&environment.scratch("bare")?, b"{}")?;
    get(&format!("{}/livez", bare.url()))?;
    let service = start(&environment.wearlab(&environment.stored(most)?, &[]))?;
    // The search loads the list of diagnoses, which is part of an idle service.
    get(&format!("{}{DIAGNOSES}", service.url()))?;
    let pid = service.pid().context("the service does not run")?;
    let [idle, theirs] = [mib(pid)?, mib(bare.pid())?];
    let pages = (0..most).step_by(PAGE as usize);
    let pages = pages.map(|offset| format!("/v2/user?limit={PAGE}&offset={offset}"));
    let load = Load::new(&environment.scratch("pages")?, pages)?;
    // As many requests as it takes to read everything.
    let mut read = 0.0;
    while read * f64::from(PAGE) < f64::from(most) {
        read +=
            load.requests_per_second(&service.url(), environment.scale.span)? * environment.scale.span.as_secs_f64();
    }
    let after = mib(pid)?;
    drop(service);
    Ok(Found {
        printed: vec![
            Printed {
                what: "memory of an idle service, in MiB".into(),
                value: format!("{idle:.1}; a bare axum process {theirs:.1}"),
                target: Some(format!("at most {MAX_MEMORY} more")),
                met: idle <= theirs + MAX_MEMORY,
            },
            Printed {
                what: format!("memory after {most} users were listed, 32 pages of {PAGE} at once, in MiB"),
                value: format!("{after:.1}"),
                target: Some(format!("at most the page cache of {PAGE_CACHE} more than idle")),
                met: after <= idle + f64::from(PAGE_CACHE),
            },
            started(environment)?,
        ],
        ..Found::default()
    })
}

/// Measures the time from the start of the binary with its sample data to the first 200.
fn started(environment: &Environment) -> Result<Printed> {
    let directory = environment.scratch("demo")?;
    let wearlab: Wearlab = environment.wearlab(&directory, &["log.filter=warn", "allow_plaintext_secrets=true"]);
    wearlab.says(&["seed", "--into-store"])?;
    let mut found = Vec::new();
    for _ in 0..environment.scale.rounds {
        let mut service = Service::new("demo")?;
        service.start(&wearlab)?;
        found.push(until_answered(&format!("{}/readyz", service.url()))?.as_secs_f64() * 1e3);
        ensure!(service.ended()?.is_none(), "the service ended by itself");
    }
    let low = found.iter().copied().fold(f64::INFINITY, f64::min);
    Ok(Printed {
        what: "from the start to the first 200, the sample data being there, in ms".into(),
        value: format!("{:.0}, {low:.0} at least", crate::measure::median(&found)),
        target: None,
        met: true,
    })
}

fn mib(pid: u32) -> Result<f64> {
    Ok(memory(pid)?.now as f64 / 1024.0)
}
