//! Rounds of kills and pauses under load, for one service on an embedded store or several on one database.

use std::collections::BTreeSet;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::cluster::Cluster;
use crate::effects::Effects;
use crate::ledgers::{FEEDS, Ledgers};
use crate::plan::{Plan, Round};
use crate::sink::Sink;
use crate::takeover::Takeovers;
use crate::world;
use crate::world::TEAMS;
use wearlab_tests::process::{Postgres, Wearlab};

/// Number of users of each team.
const USERS: usize = 12;
/// Time limit until the destination has caught up.
const TIMEOUT: Duration = Duration::from_secs(180);
/// Number of rounds between changes of an operator.
const CHANGE_EVERY: u32 = 10;
/// Backlog in events above which the load is reduced.
const BEHIND: usize = 3000;
/// Backlog in events up to which the destination counts as caught up.
const UP_TO_DATE: usize = 300;

/// State of a run.
pub(crate) struct Run<'a> {
    pub(crate) wearlab: &'a Wearlab,
    pub(crate) sink: &'a mut dyn Sink,
    /// Database that several services share. A single service has its embedded store.
    pub(crate) database: Option<&'a Postgres>,
    pub(crate) cluster: Cluster,
    pub(crate) ledgers: Ledgers,
    pub(crate) takeovers: Takeovers,
    /// True if the destination was seen to work since its last fault: it takes time to start.
    works: bool,
    pub(crate) effects: Effects,
    /// Times until services reported that their database was away, and that it was back.
    pub(crate) red_after: Vec<Duration>,
    pub(crate) green_after: Vec<Duration>,
}

/// Runs all rounds, and compares everything at the end.
pub(crate) fn run(wearlab: &Wearlab, sink: &mut dyn Sink, database: Option<&Postgres>, plan: &Plan) -> Result<()> {
    let pipeline = sink.pipeline();
    wearlab.import((0..TEAMS).flat_map(|team| world::records(team, USERS, &pipeline)))?;
    sink.connect(wearlab, TEAMS)?;
    let users: Vec<_> = (0..TEAMS).flat_map(|team| world::users_of(team, USERS)).collect();
    let rounds = plan.all(FEEDS, sink.faults().len(), sink.rest());
    let mut run = Run {
        cluster: Cluster::new(plan.services, &users)?,
        ledgers: Ledgers::open(wearlab, TEAMS, USERS, plan.seed, plan.rate)?,
        takeovers: Takeovers::default(),
        works: true,
        effects: Effects::new()?,
        red_after: Vec::new(),
        green_after: Vec::new(),
        wearlab,
        sink,
        database,
    };
    let started = Instant::now();
    run.cluster.start(wearlab)?;
    for round in &rounds {
        let number = round.number;
        run.round(round)
            .with_context(|| format!("round {number}: {}", run.describe(round)))?;
        println!(
            "{:>4.0?} round {number:>3}: {}; {} acknowledged, {} events, {} arrived, {} repeats",
            started.elapsed(),
            run.describe(round),
            run.ledgers.acknowledged(),
            run.ledgers.events(),
            run.ledgers.kept(),
            run.ledgers.repeats(),
        );
        if number % CHANGE_EVERY == 1 {
            run.change().with_context(|| format!("after round {number}"))?;
        }
    }
    run.finish()?;
    println!(
        "{} rounds in {:.0?}: {}",
        plan.rounds,
        started.elapsed(),
        run.summary()?
    );
    Ok(())
}

impl Run<'_> {
    /// Waits until the services and the destination work. The load is reduced until then, and while the destination is
    /// behind.
    pub(crate) fn await_all(&mut self) -> Result<()> {
        self.ledgers.slow(true);
        self.cluster.await_ready()?;
        self.sink.back()?;
        self.works = true;
        self.check()?;
        // The last received events may be later than the position in the log.
        let behind = self.ledgers.events().saturating_sub(self.ledgers.kept());
        self.ledgers.slow(behind > BEHIND);
        Ok(())
    }

    /// Compares the current state.
    fn check(&mut self) -> Result<()> {
        self.cluster.check()?;
        self.ledgers.check(self.wearlab)?;
        self.take()
    }

    pub(crate) fn take(&mut self) -> Result<()> {
        let takeovers = &mut self.takeovers;
        self.ledgers.take(self.sink, |event| takeovers.note(event))
    }

    fn round(&mut self, round: &Round) -> Result<()> {
        if round.up {
            self.await_all()?;
        }
        sleep(round.calm);
        if let Some((fault, length)) = round.fault {
            self.takeovers.disturb();
            self.works = false;
            self.sink.fail(fault)?;
            sleep(length);
            if !round.overlap {
                self.sink.heal()?;
                self.await_all()?;
            }
        }
        let mut returns = Instant::now();
        if let Some((number, length)) = round.pause
            && self.cluster.up().contains(&number)
        {
            self.leave(round, &[number].into(), |cluster, number| cluster.pause(number))?;
            returns = Instant::now() + length;
            if !round.overlap {
                self.settle(returns)?;
            }
        }
        if let Some((length, killed)) = round.outage {
            self.outage(length, killed)?;
        }
        let down: Vec<_> = round.services.iter().copied().collect();
        if round.ingests_first {
            self.kill_ingests(round)?;
        }
        self.leave(round, &(&round.services & &self.cluster.up()), |cluster, number| {
            cluster.kill(number)
        })?;
        for number in down {
            // A service that is paused, or not ready yet.
            self.cluster.kill(number)?;
        }
        if !round.ingests_first {
            self.kill_ingests(round)?;
        }
        self.settle(returns.max(Instant::now() + round.down))?;
        self.sink.heal()?;
        self.cluster.start(self.wearlab)?;
        self.check()
    }

    fn kill_ingests(&mut self, round: &Round) -> Result<()> {
        if round.ingests.is_empty() {
            return Ok(());
        }
        self.takeovers.disturb();
        self.ledgers.kill(self.wearlab, round.ingests.iter().copied(), false)
    }

    /// Removes services for a while. If nothing else happens, measures the takeover of their leases.
    fn leave(
        &mut self,
        round: &Round,
        numbers: &BTreeSet<usize>,
        mut how: impl FnMut(&mut Cluster, usize) -> Result<()>,
    ) -> Result<()> {
        let measured = self.works && !round.overlap && !(&self.cluster.there() - numbers).is_empty();
        self.takeovers.disturb();
        let teams = if measured {
            self.cluster.teams_of(numbers)
        } else {
            BTreeSet::new()
        };
        for number in numbers {
            how(&mut self.cluster, *number)?;
        }
        self.takeovers.begin(teams);
        Ok(())
    }

    /// Waits until a time, and for takeovers of stopped services. Then resumes the paused ones.
    fn settle(&mut self, until: Instant) -> Result<()> {
        while !self.takeovers.are_over()? || Instant::now() < until {
            sleep(Duration::from_millis(100));
            self.cluster.check()?;
            self.take()?;
        }
        self.cluster.go_on()
    }

    /// Stops or kills the database, and starts it again.
    fn outage(&mut self, length: Duration, killed: bool) -> Result<()> {
        let database = self.database.context("there is no database that could go away")?;
        self.cluster.await_ready()?;
        self.takeovers.disturb();
        self.cluster.database_goes();
        database.end(killed)?;
        self.red_after.push(self.cluster.await_red()?);
        if let Some(number) = self.cluster.up().first() {
            self.cluster.restart_away(*number, self.wearlab)?;
        }
        sleep(length);
        self.cluster.await_red()?;
        database.start()?;
        let there = Instant::now();
        self.cluster.database_comes();
        self.cluster.await_ready()?;
        self.green_after.push(there.elapsed());
        self.ledgers.kill(self.wearlab, 0..FEEDS, true)
    }

    /// Tests changes of an operator.
    fn change(&mut self) -> Result<()> {
        self.cluster.start(self.wearlab)?;
        self.await_all()?;
        let since = Instant::now();
        while self.ledgers.events().saturating_sub(self.ledgers.kept()) > UP_TO_DATE {
            ensure!(since.elapsed() < TIMEOUT, "the destination stays behind");
            self.ledgers.slow(true);
            self.replay()?;
            sleep(Duration::from_millis(500));
            self.check()?;
        }
        let Self {
            wearlab,
            cluster,
            ledgers,
            sink,
            effects,
            ..
        } = self;
        effects.try_all(wearlab, cluster, ledgers, *sink)
    }

    /// Returns a description of a round.
    fn describe(&self, round: &Round) -> String {
        let mut parts = Vec::new();
        let numbers = |numbers: &BTreeSet<usize>| {
            let numbers: Vec<_> = numbers.iter().map(|number| (number + 1).to_string()).collect();
            numbers.join(" and ")
        };
        if let Some((fault, length)) = round.fault {
            parts.push(format!("destination {} for {length:.1?}", self.sink.faults()[fault]));
        }
        if let Some((number, length)) = round.pause {
            parts.push(format!("service {} paused for {length:.1?}", number + 1));
        }
        if let Some((length, killed)) = round.outage {
            parts.push(format!(
                "database {} for {length:.1?}",
                if killed { "killed" } else { "stopped" }
            ));
        }
        if !round.services.is_empty() {
            parts.push(format!(
                "service {} killed for {:.1?}",
                numbers(&round.services),
                round.down
            ));
        }
        if !round.ingests.is_empty() {
            parts.push(format!("ingest {} killed", numbers(&round.ingests)));
        }
        parts.join(if round.overlap { " with " } else { ", " })
    }
}
