//! Where the events of a soak go: a destination that we run ourselves, and that we can make fail.

mod rabbitmq;
mod webhook;

use std::time::Instant;

use anyhow::Result;
use serde_json::Value;

use wearlab_tests::process::Wearlab;

pub(crate) use self::rabbitmq::Broker;
pub(crate) use self::webhook::Receiver;

/// A destination. Another kind is another file.
pub(crate) trait Sink {
    /// What configures the service and its commands for it.
    fn settings(&self) -> Vec<String>;

    /// What the pipelines of teams say of it: `preferences`, and the block of its kind.
    fn pipeline(&self) -> Value;

    /// What pipelines say of events that are to go elsewhere.
    fn elsewhere(&self) -> Value;

    /// Called once, when so many teams are there and no service runs yet.
    fn connect(&mut self, wearlab: &Wearlab, teams: usize) -> Result<()>;

    /// Returns whether the events of a user come in their order, once repeats are dropped.
    fn ordered(&self) -> bool;

    /// What can be wrong with it, in words that fit after "destination". With the last one, nothing comes through.
    fn faults(&self) -> &'static [&'static str];

    /// For how many rounds it is well after a fault that the dice chose.
    fn rest(&self) -> u32;

    /// Begins the fault with this number, which lasts until it heals.
    fn fail(&mut self, fault: usize) -> Result<()>;

    /// Ends what is wrong with it, if anything is.
    fn heal(&mut self) -> Result<()>;

    /// Waits until it works after it healed.
    fn back(&mut self) -> Result<()> {
        Ok(())
    }

    /// What was received since the last time, in order. What must never come, such as a wrong signature, is
    /// an error.
    fn take(&mut self) -> Result<Vec<Received>>;

    /// Called at the end, when everything has come.
    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

/// A received event, whole and from whom it should be.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    /// Whose it is.
    pub(crate) team: usize,
    pub(crate) event_id: String,
    pub(crate) event_type: String,
    pub(crate) payload: Vec<u8>,
    /// When it was received.
    pub(crate) at: Instant,
    /// True if it counts as delivered: not where we failed after it was received.
    pub(crate) kept: bool,
}
