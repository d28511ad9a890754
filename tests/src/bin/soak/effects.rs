//! Checks that changes of an operator take effect in all services, and measures the delay.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::cluster::Cluster;
use crate::ledgers::Ledgers;
use crate::receiver::Receiver;
use crate::sink::Sink;
use crate::world::TEAMS;
use crate::world::{pipeline, team_id};
use wearlab_tests::process::Wearlab;

/// Time limit until a change takes effect.
const MAX_DELAY: Duration = Duration::from_secs(1);
/// Observation time after a change.
const OBSERVATION: Duration = Duration::from_millis(2500);
/// Time limit until events reach a new destination: a service must connect to it first.
const ARRIVAL_TIMEOUT: Duration = Duration::from_secs(60);

/// Changes that were tested.
pub(crate) struct Effects {
    receiver: Receiver,
    rounds: usize,
    /// Delay of each change.
    keys: Vec<Duration>,
    pipelines: Vec<Duration>,
    webhooks: Vec<Duration>,
}

impl Effects {
    pub(crate) fn new() -> Result<Self> {
        Ok(Self {
            receiver: Receiver::new()?,
            rounds: 0,
            keys: Vec::new(),
            pipelines: Vec::new(),
            webhooks: Vec::new(),
        })
    }

    /// Tests all changes while all services are up, and the destination works and is not behind.
    pub(crate) fn try_all(
        &mut self,
        wearlab: &Wearlab,
        cluster: &Cluster,
        ledgers: &mut Ledgers,
        sink: &mut dyn Sink,
    ) -> Result<()> {
        self.rounds += 1;
        self.try_key(wearlab, cluster).context("a key is revoked")?;
        self.try_pipelines(wearlab, ledgers, sink)
            .context("pipelines are changed")?;
        self.try_webhooks(wearlab).context("webhooks are removed")
    }

    /// Returns the summary.
    pub(crate) fn summary(&self) -> String {
        let most = |times: &[Duration]| times.iter().max().copied().unwrap_or_default();
        format!(
            "revoked keys, changed pipelines and removed webhooks took effect after {:.0?}, {:.0?} and {:.0?} at most, {} \
             times",
            most(&self.keys),
            most(&self.pipelines),
            most(&self.webhooks),
            self.rounds
        )
    }

    /// Checks that all services refuse a revoked key.
    fn try_key(&mut self, wearlab: &Wearlab, cluster: &Cluster) -> Result<()> {
        let (team, name) = (team_id(0).to_string(), format!("try-{}", self.rounds));
        let key = wearlab.says(&["keys", "create", "--team", &team, "--name", &name])?;
        let list = wearlab.says(&["keys", "list"])?;
        let line = list
            .lines()
            .find(|line| line.ends_with(&name))
            .context("the key is not listed")?;
        let id = line.split_whitespace().next().context("the key has no id")?;
        let asked = |revoked: bool| -> Result<()> {
            for (number, reads) in cluster.reads() {
                let (since, wanted) = (Instant::now(), if revoked { 401 } else { 200 });
                loop {
                    let status = reads.status("/v2/providers", key.trim())?;
                    if status == wanted {
                        break;
                    }
                    ensure!(
                        since.elapsed() < MAX_DELAY,
                        "service {} answers {status}, not {wanted}",
                        number + 1
                    );
                }
            }
            Ok(())
        };
        asked(false)?;
        wearlab.says(&["keys", "revoke", id])?;
        let revoked = Instant::now();
        asked(true)?;
        self.keys.push(revoked.elapsed());
        Ok(())
    }

    /// Checks that changed pipelines redirect events, and that a second change brings them back.
    fn try_pipelines(&mut self, wearlab: &Wearlab, ledgers: &mut Ledgers, sink: &mut dyn Sink) -> Result<()> {
        let import = |part| wearlab.import((0..TEAMS).map(|team| pipeline(team, &part).to_string()));
        import(sink.elsewhere())?;
        let changed = Instant::now();
        std::thread::sleep(OBSERVATION);
        let mut late = Duration::ZERO;
        ledgers.take(sink, |event| {
            late = late.max(event.at.saturating_duration_since(changed))
        })?;
        import(sink.pipeline())?;
        ensure!(
            late < MAX_DELAY,
            "events were received for {late:.1?} after they had to go elsewhere"
        );
        self.pipelines.push(late);
        let changed = Instant::now();
        let mut missing: Vec<_> = (0..TEAMS).collect();
        while !missing.is_empty() {
            let waited = changed.elapsed();
            ensure!(
                waited < ARRIVAL_TIMEOUT,
                "no events of the teams {missing:?} come, {waited:.1?} after they have to again"
            );
            std::thread::sleep(Duration::from_millis(100));
            ledgers.take(sink, |event| missing.retain(|team| *team != event.team))?;
        }
        Ok(())
    }

    /// Checks that a new endpoint gets events, and a removed one gets none.
    fn try_webhooks(&mut self, wearlab: &Wearlab) -> Result<()> {
        let mut ids = Vec::new();
        let added = Instant::now();
        for team in 0..TEAMS {
            let (url, team) = (self.receiver.url(team), team_id(team).to_string());
            let message = wearlab.says(&["webhooks", "add", &url, "--team", &team])?;
            ids.push(message.lines().next().context("no id of the webhook")?.to_owned());
        }
        let received = |team: usize| self.receiver.last(team).is_some_and(|last| last > added);
        let all_added = Instant::now();
        while !(0..TEAMS).all(received) {
            ensure!(all_added.elapsed() < ARRIVAL_TIMEOUT, "not all endpoints get events");
            std::thread::sleep(Duration::from_millis(100));
        }
        let mut removed = Vec::new();
        for id in &ids {
            wearlab.says(&["webhooks", "remove", id])?;
            removed.push(Instant::now());
        }
        std::thread::sleep(OBSERVATION);
        for (team, removed) in removed.into_iter().enumerate() {
            let last = self.receiver.last(team).unwrap_or(removed);
            let late = last.saturating_duration_since(removed);
            ensure!(
                late < MAX_DELAY,
                "events of team {team} were received for {late:.1?} after their endpoint was removed"
            );
            self.webhooks.push(late);
        }
        Ok(())
    }
}
