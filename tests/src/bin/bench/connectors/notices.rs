//! Notices over HTTP, received as the service does.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use axum::Router;
use axum::http::StatusCode;
use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use wearlab_connect::Inbox;

use super::band::{News, SIGNATURE, TIMESTAMP};
use super::world::{CLIENT_SECRET, World, user_id};

/// Senders at a time.
const SENDERS: u32 = 64;

/// Sends notices for a while. Returns how many are acknowledged in a second.
pub(super) async fn per_second(world: &World, span: Duration) -> Result<f64> {
    let url = world.subscribe().await?;
    let path = reqwest::Url::parse(&url)?.path().to_owned();
    let linker = world.linker();
    let inbox = Inbox::new(
        [world.connector.clone()],
        move || Some(linker.clone()),
        Box::new(|_, _| {}),
    );
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}{path}", listener.local_addr()?);
    let router = Router::<()>::new().merge(wearlab_web::notices::routes(Arc::new(inbox)));
    let serving = tokio::spawn(async move { axum::serve(listener, router).await });
    let (http, next) = (reqwest::Client::new(), Arc::new(AtomicU32::new(0)));
    let users = u32::try_from(world.users())?;
    let begun = Instant::now();
    let mut senders = JoinSet::new();
    for _ in 0..SENDERS {
        let (http, url, next) = (http.clone(), url.clone(), Arc::clone(&next));
        senders.spawn(async move {
            let mut sent = 0_u32;
            while begun.elapsed() < span {
                let number = next.fetch_add(1, Ordering::Relaxed) % users;
                let status = send(&http, &url, number).await?;
                ensure!(status == StatusCode::NO_CONTENT, "a notice was answered with {status}");
                sent += 1;
            }
            Ok(sent)
        });
    }
    let sent: Result<Vec<u32>> = senders.join_all().await.into_iter().collect();
    serving.abort();
    Ok(f64::from(sent?.into_iter().sum::<u32>()) / begun.elapsed().as_secs_f64())
}

async fn send(http: &reqwest::Client, url: &str, number: u32) -> Result<StatusCode> {
    let body = serde_json::to_vec(&News {
        user: user_id(number).to_string(),
    })?;
    let timestamp = wearlab_clock::now().timestamp().to_string();
    let mac = Hmac::<Sha256>::new_from_slice(CLIENT_SECRET.as_bytes())?;
    let signature = mac.chain_update(&timestamp).chain_update(&body).finalize().into_bytes();
    let digits = HEXLOWER.encode(&signature);
    let request = http.post(url).header(TIMESTAMP, timestamp).header(SIGNATURE, digits);
    Ok(request.body(body).send().await?.status())
}
