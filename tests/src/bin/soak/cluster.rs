//! Several services on one database that are killed, started, paused and resumed.

use std::collections::BTreeSet;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::probe::{Probe, Seen};
use crate::reads::Reads;
use crate::world::TEAMS;
use wearlab_tests::process::{Service, Wearlab};

/// Time limit for the start of a service, on a busy machine.
const START: Duration = Duration::from_secs(60);
/// Time limit for a service after a pause, or after its database is back: it retries at least every five seconds.
const RETURN: Duration = Duration::from_secs(30);
/// Time limit until a service reports that its database is away.
const RED: Duration = Duration::from_secs(10);
/// A service that sent an event of a team within this time holds its lease.
const RECENT: Duration = Duration::from_secs(4);

/// Services of a run.
pub(crate) struct Cluster {
    members: Vec<Member>,
}

struct Member {
    service: Service,
    reads: Reads,
    probe: Probe,
    is: MemberState,
}

#[derive(Clone, Copy, PartialEq)]
enum MemberState {
    Down,
    Up,
    Paused,
}

impl Cluster {
    /// Creates stopped services. Probes read the data of `users`.
    pub(crate) fn new(services: usize, users: &[usize]) -> Result<Self> {
        let member = |number: usize| {
            let service = Service::new(&format!("service-{number}"))?;
            Ok(Member {
                reads: Reads::new(service.url())?,
                probe: Probe::start(service.url(), users.to_vec())?,
                service,
                is: MemberState::Down,
            })
        };
        Ok(Self {
            members: (1..=services).map(member).collect::<Result<_>>()?,
        })
    }

    /// Starts the stopped services.
    pub(crate) fn start(&mut self, wearlab: &Wearlab) -> Result<()> {
        for member in self.members.iter_mut().filter(|member| member.is == MemberState::Down) {
            member.service.start(wearlab)?;
            member.is = MemberState::Up;
            // Connections to the previous process are useless.
            member.reads = Reads::new(member.service.url())?;
            member.probe.coming(START);
        }
        Ok(())
    }

    pub(crate) fn kill(&mut self, number: usize) -> Result<()> {
        let member = &mut self.members[number];
        member.probe.away();
        member.service.kill()?;
        member.is = MemberState::Down;
        Ok(())
    }

    pub(crate) fn pause(&mut self, number: usize) -> Result<()> {
        let member = &mut self.members[number];
        member.probe.away();
        member.service.pause()?;
        member.is = MemberState::Paused;
        Ok(())
    }

    /// Resumes the paused services.
    pub(crate) fn go_on(&mut self) -> Result<()> {
        for member in self
            .members
            .iter_mut()
            .filter(|member| member.is == MemberState::Paused)
        {
            member.service.go_on()?;
            member.is = MemberState::Up;
            member.probe.coming(RETURN);
        }
        Ok(())
    }

    /// Returns the services that are neither stopped nor paused.
    pub(crate) fn up(&self) -> BTreeSet<usize> {
        let members = self.members.iter().enumerate();
        members
            .filter(|(_, member)| member.is == MemberState::Up)
            .map(|(number, _)| number)
            .collect()
    }

    /// Returns those of them that respond.
    pub(crate) fn there(&self) -> BTreeSet<usize> {
        let up = self.up().into_iter();
        up.filter(|number| self.members[*number].probe.is_there()).collect()
    }

    /// Returns clients for the running services.
    pub(crate) fn reads(&self) -> impl Iterator<Item = (usize, &Reads)> {
        self.up()
            .into_iter()
            .map(|number| (number, &self.members[number].reads))
    }

    /// Waits until all running services respond.
    pub(crate) fn await_ready(&mut self) -> Result<()> {
        let up = self.up();
        while !up.iter().all(|number| self.members[*number].probe.is_there()) {
            self.check()?;
            sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    /// Returns the observations of each service. Fails if one failed, or ended by itself.
    pub(crate) fn check(&mut self) -> Result<Vec<Seen>> {
        let members = self.members.iter_mut().enumerate();
        members
            .map(|(number, member)| {
                let name = || format!("service {}", number + 1);
                if let Some(status) = member.service.ended()? {
                    bail!("{} ended by itself: {status}", name());
                }
                member.probe.seen().with_context(name)
            })
            .collect()
    }

    /// Records that the database is away: services need not respond, but must report it.
    pub(crate) fn database_goes(&self) {
        self.members.iter().for_each(|member| member.probe.away());
    }

    /// Kills a running service, and starts it while the database is away: it must listen, and report that.
    pub(crate) fn restart_away(&mut self, number: usize, wearlab: &Wearlab) -> Result<()> {
        self.kill(number)?;
        let member = &mut self.members[number];
        member.service.start(wearlab)?;
        member.is = MemberState::Up;
        member.reads = Reads::new(member.service.url())?;
        let since = Instant::now();
        while !member.reads.status("/readyz", "").is_ok_and(|status| status == 503) {
            let name = || format!("service {}", number + 1);
            if let Some(status) = member.service.ended()? {
                bail!("{} ended by itself while its database was away: {status}", name());
            }
            ensure!(since.elapsed() < START, "{} does not listen without a database", name());
            sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    /// Waits until all running services report that they are not ready, and returns the longest time.
    pub(crate) fn await_red(&self) -> Result<Duration> {
        let gone = Instant::now();
        for (number, reads) in self.reads() {
            while reads.status("/readyz", "")? != 503 {
                let took = gone.elapsed();
                ensure!(
                    took < RED,
                    "service {} is ready without a database, after {took:.1?}",
                    number + 1
                );
                sleep(Duration::from_millis(20));
            }
        }
        Ok(gone.elapsed())
    }

    /// Records that the database is back.
    pub(crate) fn database_comes(&self) {
        for number in self.up() {
            self.members[number].probe.coming(RETURN);
        }
    }

    /// Returns the teams whose events one of these services sent last.
    pub(crate) fn teams_of(&self, numbers: &BTreeSet<usize>) -> BTreeSet<usize> {
        let whose = |team: &usize| {
            let sent = |number: &usize| self.members[*number].probe.sent(*team);
            let last = (0..self.members.len()).max_by_key(sent);
            last.filter(|number| sent(number).is_some_and(|at| at.elapsed() < RECENT))
        };
        (0..TEAMS)
            .filter(|team| whose(team).is_some_and(|number| numbers.contains(&number)))
            .collect()
    }
}
