//! Wearable and lab data service.
//!
//! [`serve`] runs the listeners of a [`Service`](wearlab_service::Service), with the settings of [`config`]; [`log`] starts
//! the log; [`cli`] is the command line.

#![warn(clippy::print_stderr)]

pub mod cli;
pub mod config;
mod file_probe;
pub mod log;
mod metrics;
#[cfg(feature = "otel")]
mod otel;
pub mod pruner;
mod remote;
mod scrubber;
pub mod serve;
pub mod stop;
