//! Parsing and serialization of the API's types, compared with hand-written structs.

mod by_hand;

use std::hint::black_box;

use anyhow::{Context, Result, ensure};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use wearlab_models::UserList;

use crate::environment::{Environment, Scale};
use crate::measure::{alternate, per_second};
use crate::population::user_id;
use crate::results::{Comparison, Found, Target};

/// Number of users of a page.
const USERS: u32 = 500;

pub(crate) fn run(environment: &Environment) -> Result<Found> {
    let scale = environment.scale.finely();
    let page = page(USERS).to_string();
    let ours: UserList = serde_json::from_str(&page).context("the page is not of the models")?;
    let theirs: by_hand::UserList =
        serde_json::from_str(&page).context("the page is not of the hand-written structs")?;
    let bytes = serde_json::to_vec(&ours)?;
    ensure!(bytes == serde_json::to_vec(&theirs)?, "the two write different pages");
    Ok(Found {
        results: vec![
            Comparison {
                rounds: alternate(
                    scale.rounds,
                    || decoded::<UserList>(scale, &bytes),
                    || decoded::<by_hand::UserList>(scale, &bytes),
                )?,
                ..result("decode")
            },
            Comparison {
                rounds: alternate(scale.rounds, || encoded(scale, &ours), || encoded(scale, &theirs))?,
                ..result("encode")
            },
        ],
        ..Found::default()
    })
}

fn result(what: &str) -> Comparison {
    Comparison {
        what: format!("{what} a page of {USERS} users"),
        reference: "serde structs by hand".into(),
        unit: "pages/s".into(),
        target: Target::AtLeast(0.95),
        rounds: Default::default(),
    }
}

fn decoded<T: DeserializeOwned>(scale: Scale, bytes: &[u8]) -> Result<f64> {
    per_second(scale.span, || {
        black_box(serde_json::from_slice::<T>(black_box(bytes))?);
        Ok(())
    })
}

fn encoded<T: Serialize>(scale: Scale, page: &T) -> Result<f64> {
    per_second(scale.span, || {
        black_box(serde_json::to_vec(black_box(page))?);
        Ok(())
    })
}

/// Returns a page of users in the form of the service.
pub(crate) fn page(users: u32) -> Value {
    let all: Vec<Value> = (0..users).map(user).collect();
    json!({"users": all, "total": 1_000_000, "offset": 0, "limit": users})
}

/// Returns a user with two sources. Some lack the optional fields.
fn user(nth: u32) -> Value {
    let time = format!("2026-01-{:02}T{:02}:{:02}:17Z", nth % 28 + 1, nth % 24, nth % 60);
    let source = |name: &str, slug: &str| {
        let source =
            json!({"name": name, "slug": slug, "logo": format!("https://cdn.wearlab.example/logos/{slug}.svg")});
        json!({"created_on": time, "source": source, "provider": source})
    };
    let mut user = json!({
        "user_id": user_id(nth), "team_id": user_id(u32::MAX), "client_user_id": format!("client-{nth:07}"),
        "created_on": time,
        "connected_sources": [source("Stridewell", "stridewell"), source("Nocturna Ring", "nocturna_ring")],
        "fallback_time_zone": {"id": "Europe/Oslo", "source_slug": "stridewell", "updated_at": time},
    });
    if !nth.is_multiple_of(3) {
        user["fallback_birth_date"] =
            json!({"value": format!("{}-07-04", 1940 + nth % 60), "source_slug": "manual", "updated_at": time});
    }
    if nth.is_multiple_of(2) {
        user["ingestion_start"] = json!("2025-09-21");
        user["ingestion_end"] = json!("2027-09-21");
    }
    user
}
