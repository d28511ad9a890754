//! Client of the API that checks reads against the model.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::arrival::{device_id, number_of};
use crate::load::SERIES;
use crate::model::{Model, OfSource, User};
use crate::world::{key, team_of, team_of_id, user_id};

/// Idle time-out of connections.
const IDLE: Duration = Duration::from_secs(30);

/// Client of the service.
pub(crate) struct Reads {
    runtime: Runtime,
    client: reqwest::Client,
    url: String,
}

impl Reads {
    pub(crate) fn new(url: String) -> Result<Self> {
        Ok(Self {
            runtime: tokio::runtime::Builder::new_current_thread().enable_all().build()?,
            // The service closes connections that are idle for longer.
            client: reqwest::Client::builder().no_proxy().pool_idle_timeout(IDLE).build()?,
            url,
        })
    }

    /// Waits until the service responds.
    pub(crate) fn ready(&self, patience: Duration) -> Result<()> {
        let until = Instant::now() + patience;
        while Instant::now() < until {
            if self.get(0, "/readyz").is_ok() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        bail!("the service is not ready after {patience:?}")
    }

    /// Reads with the API key of a team, if the path needs one.
    pub(crate) fn get(&self, team: usize, path: &str) -> Result<Vec<u8>> {
        let request = self
            .client
            .get(format!("{}{path}", self.url))
            .header("x-service-api-key", key(team));
        self.runtime.block_on(async {
            let response = request.send().await?;
            ensure!(response.status() == 200, "{path}: {}", response.status());
            Ok(response.bytes().await?.to_vec())
        })
    }

    /// Returns the status of a response to a request with a key.
    pub(crate) fn status(&self, path: &str, key: &str) -> Result<u16> {
        let url = format!("{}{path}", self.url);
        let request = self.client.get(url).header("x-service-api-key", key);
        self.runtime
            .block_on(async { Ok(request.send().await?.status().as_u16()) })
    }

    fn json(&self, team: usize, path: &str) -> Result<Value> {
        Ok(serde_json::from_slice(&self.get(team, path)?)?)
    }

    /// Returns the number of waiting and of parked events from the metrics. None before they are measured.
    pub(crate) fn backlog(&self) -> Result<Option<(u64, u64)>> {
        let metrics = self.metrics()?;
        let sum = |name: &str| {
            let lines = metrics.lines().filter(|line| line.starts_with(name));
            let values: Option<Vec<u64>> = lines.map(|line| line.rsplit_once(' ')?.1.parse().ok()).collect();
            values
                .filter(|values| !values.is_empty())
                .map(|values| values.iter().sum())
        };
        Ok(sum("wearlab_delivery_backlog{").zip(sum("wearlab_delivery_parked{")))
    }

    /// Returns the number of events sent of each team.
    pub(crate) fn attempts(&self) -> Result<BTreeMap<usize, u64>> {
        let metrics = self.metrics()?;
        let counted = metrics.lines().filter_map(|line| {
            let (labels, count) = line
                .strip_prefix("wearlab_delivery_attempts_total{")?
                .rsplit_once("} ")?;
            let (_, team) = labels.split_once("team_id=\"")?;
            Some((team_of_id(team.split_once('"')?.0)?, count.parse().ok()?))
        });
        let mut sums = BTreeMap::new();
        counted.for_each(|(team, count): (usize, u64)| *sums.entry(team).or_default() += count);
        Ok(sums)
    }

    fn metrics(&self) -> Result<String> {
        Ok(String::from_utf8(self.get(0, "/metrics")?)?)
    }

    /// Compares reads of all users with the model.
    pub(crate) fn compare(&self, model: &Model) -> Result<()> {
        for (user, known) in &model.users {
            self.compare_user(*user, known)
                .with_context(|| format!("what is read of user {user}"))?;
        }
        Ok(())
    }

    fn compare_user(&self, user: usize, known: &User) -> Result<()> {
        let (team, id) = (team_of(user), user_id(user));
        let providers = self.json(team, &format!("/v2/user/providers/{id}"))?;
        let providers = providers["providers"].as_array().context("no providers")?;
        ensure!(
            providers.len() == known.connections.len(),
            "{} providers",
            providers.len()
        );
        for (slug, connection) in &known.connections {
            let provider = providers.iter().find(|provider| provider["slug"] == *slug);
            let provider = provider.with_context(|| format!("{slug} is missing"))?;
            let status = if connection.failed.is_some() {
                "error"
            } else {
                "connected"
            };
            let failed = connection.failed.map(|number| Value::String(number.to_string()));
            let shown = &provider["error_details"]["error_message"];
            let available = provider["resource_availability"].as_object().context("no resources")?;
            let available: Vec<_> = available
                .iter()
                .filter(|(_, resource)| resource["status"] == "available")
                .collect();
            let alike = provider["name"] == connection.name
                && provider["status"] == status
                && *shown == failed.unwrap_or_default()
                && available.len() == connection.available.len()
                && available
                    .iter()
                    .all(|(name, _)| connection.available.contains(name.as_str()));
            ensure!(alike, "{provider} in place of {connection:?}");
        }
        let whole = self.json(team, &format!("/v2/user/{id}"))?;
        let sources = whole["connected_sources"].as_array().context("no sources")?;
        let mut slugs: Vec<_> = sources
            .iter()
            .filter_map(|source| source["source"]["slug"].as_str())
            .collect();
        slugs.sort_unstable();
        ensure!(slugs.iter().eq(known.connections.keys()), "the sources are {slugs:?}");
        let devices = self.json(team, &format!("/v2/user/{id}/device"))?;
        let devices: BTreeMap<_, _> = (devices.as_array().context("no devices")?.iter())
            .map(|device| (device["id"].to_string(), device["device_version"].to_string()))
            .collect();
        let seen: BTreeMap<_, _> = (known.devices.iter())
            .map(|(device, number)| (format!("\"{}\"", device_id(user, *device)), format!("\"{number}\"")))
            .collect();
        ensure!(devices == seen, "the devices are {devices:?} in place of {seen:?}");
        self.compare_values(user, known)
    }

    /// Compares reads of samples and summaries with the model.
    fn compare_values(&self, user: usize, known: &User) -> Result<()> {
        let (team, id) = (team_of(user), user_id(user));
        let mut shown: BTreeMap<(String, String, String), BTreeMap<String, u64>> = BTreeMap::new();
        let mut show = |resource: &str, source: &Value, time: &Value, value: &Value| {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let kind = Some(text(&source["type"])).filter(|kind| kind != "unknown");
            let of = (text(&source["provider"]), resource.to_owned(), kind.unwrap_or_default());
            let number = number_of(value).as_u64().unwrap_or_default();
            shown.entry(of).or_default().insert(text(time), number);
        };
        const SPAN: &str = "start_date=2025-12-31&end_date=2026-02-01";
        for resource in SERIES {
            let page = self.json(team, &format!("/v2/timeseries/{id}/{resource}/grouped?{SPAN}"))?;
            ensure!(page["next_cursor"].is_null(), "there are few enough samples for a page");
            let groups = page["groups"].as_object().context("no groups")?;
            for group in groups.values().filter_map(Value::as_array).flatten() {
                for sample in group["data"].as_array().context("no samples")? {
                    show(resource, &group["source"], &sample["timestamp"], sample);
                }
            }
        }
        let bodies = self.json(team, &format!("/v2/summary/body/{id}?{SPAN}"))?;
        for body in bodies["body"].as_array().context("no summaries")? {
            let time = format!("{}T10:00:00Z", body["calendar_date"].as_str().context("no day")?);
            show("body", &body["source"], &Value::from(time), body);
        }
        let text = |of: &OfSource| (of.0.to_owned(), of.1.to_owned(), of.2.to_owned());
        let kept = known.values.iter().filter(|(_, values)| !values.is_empty());
        let kept: BTreeMap<_, _> = kept.map(|(of, values)| (text(of), values.clone())).collect();
        ensure!(shown == kept, "the values are {shown:?} in place of {kept:?}");
        Ok(())
    }
}
