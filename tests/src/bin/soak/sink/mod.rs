//! Destinations of the soak test, which this process runs and makes fail.

mod rabbitmq;
mod webhook;

use std::time::Instant;

use anyhow::Result;
use serde_json::Value;

use wearlab_tests::process::Wearlab;

pub(crate) use self::rabbitmq::Broker;
pub(crate) use self::webhook::Receiver;

/// Destination. Each kind has its own file.
pub(crate) trait Sink {
    /// Returns settings of the service and its commands for the destination.
    fn settings(&self) -> Vec<String>;

    /// Returns the pipeline for the destination: `preferences`, and the block of its kind.
    fn pipeline(&self) -> Value;

    /// Returns a pipeline for another destination.
    fn elsewhere(&self) -> Value;

    /// Called once, when the teams exist and no service runs yet.
    fn connect(&mut self, wearlab: &Wearlab, teams: usize) -> Result<()>;

    /// Returns whether events of a user arrive in order, after duplicates are dropped.
    fn ordered(&self) -> bool;

    /// Returns names of the faults, which fit after "destination". During the last one, no event arrives.
    fn faults(&self) -> &'static [&'static str];

    /// Returns the number of rounds without a fault after a random one.
    fn rest(&self) -> u32;

    /// Starts the fault with this number, which lasts until [`heal`](Self::heal).
    fn fail(&mut self, fault: usize) -> Result<()>;

    /// Ends the fault, if there is one.
    fn heal(&mut self) -> Result<()>;

    /// Waits until the destination works after a fault.
    fn back(&mut self) -> Result<()> {
        Ok(())
    }

    /// Returns the events received since the last call, in order. Fails if something invalid was received, such as a
    /// wrong signature.
    fn take(&mut self) -> Result<Vec<Received>>;

    /// Called at the end, when all events are received.
    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Received event, complete and authenticated.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    /// Team of the event.
    pub(crate) team: usize,
    pub(crate) event_id: String,
    pub(crate) event_type: String,
    pub(crate) payload: Vec<u8>,
    /// Time of receipt.
    pub(crate) at: Instant,
    /// True if the delivery counts. False if the destination failed after the receipt.
    pub(crate) kept: bool,
}
