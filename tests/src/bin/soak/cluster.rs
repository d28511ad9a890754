//! Several services on one database, which are killed, started, paused and continued.

use std::collections::BTreeSet;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::probe::{Probe, Seen};
use crate::reads::Reads;
use crate::world::TEAMS;
use wearlab_tests::process::{Service, Wearlab};

/// How long a service may take to be ready: on a machine that does much else.
const START: Duration = Duration::from_secs(60);
/// The same for one that was paused, and for one whose database is there again: it tries every five seconds at least.
const RETURN: Duration = Duration::from_secs(30);
/// How soon a service must say that its database is away.
const RED: Duration = Duration::from_secs(10);
/// A service that sent something so lately works for it.
const LATELY: Duration = Duration::from_secs(4);

/// The services.
pub(crate) struct Cluster {
    members: Vec<Member>,
}

struct Member {
    service: Service,
    reads: Reads,
    probe: Probe,
    is: Is,
}

#[derive(Clone, Copy, PartialEq)]
enum Is {
    Down,
    Up,
    Paused,
}

impl Cluster {
    /// So many that do not run yet. They are asked for the data of `users`.
    pub(crate) fn new(services: usize, users: &[usize]) -> Result<Self> {
        let member = |number: usize| {
            let service = Service::new(&format!("service-{number}"))?;
            Ok(Member {
                reads: Reads::new(service.url())?,
                probe: Probe::start(service.url(), users.to_vec())?,
                service,
                is: Is::Down,
            })
        };
        Ok(Self {
            members: (1..=services).map(member).collect::<Result<_>>()?,
        })
    }

    /// Starts those that are down.
    pub(crate) fn start(&mut self, wearlab: &Wearlab) -> Result<()> {
        for member in self.members.iter_mut().filter(|member| member.is == Is::Down) {
            member.service.start(wearlab)?;
            member.is = Is::Up;
            // Connections to the one before are of no use.
            member.reads = Reads::new(member.service.url())?;
            member.probe.coming(START);
        }
        Ok(())
    }

    pub(crate) fn kill(&mut self, number: usize) -> Result<()> {
        let member = &mut self.members[number];
        member.probe.away();
        member.service.kill()?;
        member.is = Is::Down;
        Ok(())
    }

    pub(crate) fn pause(&mut self, number: usize) -> Result<()> {
        let member = &mut self.members[number];
        member.probe.away();
        member.service.pause()?;
        member.is = Is::Paused;
        Ok(())
    }

    /// Continues those that are paused.
    pub(crate) fn go_on(&mut self) -> Result<()> {
        for member in self.members.iter_mut().filter(|member| member.is == Is::Paused) {
            member.service.go_on()?;
            member.is = Is::Up;
            member.probe.coming(RETURN);
        }
        Ok(())
    }

    /// Those that neither are down nor stand still.
    pub(crate) fn up(&self) -> BTreeSet<usize> {
        let members = self.members.iter().enumerate();
        members
            .filter(|(_, member)| member.is == Is::Up)
            .map(|(number, _)| number)
            .collect()
    }

    /// Those of them that respond.
    pub(crate) fn there(&self) -> BTreeSet<usize> {
        let up = self.up().into_iter();
        up.filter(|number| self.members[*number].probe.is_there()).collect()
    }

    /// What is asked of those that are up.
    pub(crate) fn reads(&self) -> impl Iterator<Item = (usize, &Reads)> {
        self.up()
            .into_iter()
            .map(|number| (number, &self.members[number].reads))
    }

    /// Waits until all that are up answer.
    pub(crate) fn await_ready(&mut self) -> Result<()> {
        let up = self.up();
        while !up.iter().all(|number| self.members[*number].probe.is_there()) {
            self.check()?;
            sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    /// What was seen of each, unless it is bad. None may have ended by itself.
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

    /// The database goes away: nobody need answer, and everybody must say so.
    pub(crate) fn database_goes(&self) {
        self.members.iter().for_each(|member| member.probe.away());
    }

    /// Kills one that is up, and starts it while the database is away: it must listen, and say so.
    pub(crate) fn restart_away(&mut self, number: usize, wearlab: &Wearlab) -> Result<()> {
        self.kill(number)?;
        let member = &mut self.members[number];
        member.service.start(wearlab)?;
        member.is = Is::Up;
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

    /// Waits until all that are up say that they are not ready, and returns how long the last of them took.
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

    /// The database is there again.
    pub(crate) fn database_comes(&self) {
        for number in self.up() {
            self.members[number].probe.coming(RETURN);
        }
    }

    /// The teams that were last seen to be worked for by one of these services.
    pub(crate) fn teams_of(&self, numbers: &BTreeSet<usize>) -> BTreeSet<usize> {
        let whose = |team: &usize| {
            let sent = |number: &usize| self.members[*number].probe.sent(*team);
            let last = (0..self.members.len()).max_by_key(sent);
            last.filter(|number| sent(number).is_some_and(|at| at.elapsed() < LATELY))
        };
        (0..TEAMS)
            .filter(|team| whose(team).is_some_and(|number| numbers.contains(&number)))
            .collect()
    }
}
