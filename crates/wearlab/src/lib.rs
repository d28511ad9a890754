//! The wearable and lab data service.
//!
//! [`Service`] answers the interface from a [`Store`](wearlab_store::Store); [`serve`] puts it on an address;
//! [`cli`] is the command line; [`sample`] makes data to try it with.

pub mod cli;
mod document;
pub mod import;
mod mask;
pub mod sample;
pub mod serve;
mod service;

pub use service::{Service, Settings};
