//! Whether what an operator changes takes effect at all services, and how soon.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::cluster::Cluster;
use crate::ledgers::Ledgers;
use crate::receiver::Receiver;
use crate::sink::Sink;
use crate::world::TEAMS;
use crate::world::{pipeline, team_id};
use wearlab_tests::process::Wearlab;

/// How soon it must.
const SOON: Duration = Duration::from_secs(1);
/// How long it is looked at whether it has.
const LOOK: Duration = Duration::from_millis(2500);
/// How long it may take until events go where they did not go before: somebody has to connect there first.
const ARRIVE: Duration = Duration::from_secs(60);

/// The changes that were tried.
pub(crate) struct Effects {
    receiver: Receiver,
    rounds: usize,
    /// How long each of them took.
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

    /// Tries everything while all services are up, and the destination works and is not behind.
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

    /// The summary.
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

    /// A key that is revoked is refused by all services.
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
                        since.elapsed() < SOON,
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

    /// Events go elsewhere where pipelines say so, and come again where these say that.
    fn try_pipelines(&mut self, wearlab: &Wearlab, ledgers: &mut Ledgers, sink: &mut dyn Sink) -> Result<()> {
        let import = |part| wearlab.import((0..TEAMS).map(|team| pipeline(team, &part).to_string()));
        import(sink.elsewhere())?;
        let changed = Instant::now();
        std::thread::sleep(LOOK);
        let mut late = Duration::ZERO;
        ledgers.take(sink, |event| {
            late = late.max(event.at.saturating_duration_since(changed))
        })?;
        import(sink.pipeline())?;
        ensure!(
            late < SOON,
            "events were received for {late:.1?} after they had to go elsewhere"
        );
        self.pipelines.push(late);
        let changed = Instant::now();
        let mut missing: Vec<_> = (0..TEAMS).collect();
        while !missing.is_empty() {
            let waited = changed.elapsed();
            ensure!(
                waited < ARRIVE,
                "no events of the teams {missing:?} come, {waited:.1?} after they have to again"
            );
            std::thread::sleep(Duration::from_millis(100));
            ledgers.take(sink, |event| missing.retain(|team| *team != event.team))?;
        }
        Ok(())
    }

    /// An endpoint that is added gets events, and none once it is removed.
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
            ensure!(all_added.elapsed() < ARRIVE, "not all endpoints get events");
            std::thread::sleep(Duration::from_millis(100));
        }
        let mut removed = Vec::new();
        for id in &ids {
            wearlab.says(&["webhooks", "remove", id])?;
            removed.push(Instant::now());
        }
        std::thread::sleep(LOOK);
        for (team, removed) in removed.into_iter().enumerate() {
            let last = self.receiver.last(team).unwrap_or(removed);
            let late = last.saturating_duration_since(removed);
            ensure!(
                late < SOON,
                "events of team {team} were received for {late:.1?} after their endpoint was removed"
            );
            self.webhooks.push(late);
        }
        Ok(())
    }
}
