//! Memory of a service that serves reads, and the latency of reads relative to a request of a server that does nothing:
//! other load on the machine slows down both.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::control;
use crate::reads::Reads;
use crate::world::user_id;
use wearlab_tests::process::usage::{Memory, memory};

/// Number of reads for a median.
const READS: usize = 3000;

/// Measures a service.
pub(crate) struct Meter<'a> {
    reads: &'a Reads,
    control: Reads,
    pid: u32,
    users: usize,
    seed: u64,
}

/// Measurements of a stretch of the run.
#[derive(Clone, Copy)]
pub(crate) struct Stretch {
    /// Memory at the end.
    pub(crate) memory: Memory,
    /// Median latency of reading a user, relative to the reference server.
    pub(crate) read: f64,
}

impl<'a> Meter<'a> {
    pub(crate) fn new(reads: &'a Reads, pid: u32, users: usize, seed: u64) -> Result<Self> {
        Ok(Self {
            reads,
            control: Reads::new(control::start()?)?,
            pid,
            users,
            seed,
        })
    }

    /// Measures for some seconds.
    pub(crate) fn stretch(&self, name: &str) -> Result<Stretch> {
        let mut dice = ChaCha8Rng::seed_from_u64(self.seed);
        let (mut reads, mut controls) = (Vec::with_capacity(READS), Vec::with_capacity(READS));
        for _ in 0..READS {
            let path = format!("/v2/user/{}", user_id(dice.random_range(0..self.users)));
            reads.push(took(|| self.reads.get(0, &path))?);
            controls.push(took(|| self.control.get(0, "/"))?);
        }
        let [read, control] = [median(reads)?, median(controls)?];
        let ratio = read.as_secs_f64() / control.as_secs_f64();
        let memory = memory(self.pid)?;
        println!(
            "{name}: memory {} MiB, at its peak {} MiB; a read takes {read:.2?}, {ratio:.2} times as long as a bare \
             request",
            memory.now / 1024,
            memory.peak / 1024,
        );
        Ok(Stretch { memory, read: ratio })
    }
}

fn took(work: impl FnOnce() -> Result<Vec<u8>>) -> Result<Duration> {
    let started = Instant::now();
    work()?;
    Ok(started.elapsed())
}

fn median(mut times: Vec<Duration>) -> Result<Duration> {
    times.sort_unstable();
    times.get(times.len() / 2).copied().context("nothing was read")
}
