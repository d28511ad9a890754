//! Connectors of providers, a directory each: the client generated from the provider's document, the conversion of its
//! data to readings, and a simulation of it for tests and demonstrations.

pub mod oura;
pub mod simulated;
mod sports;

use std::sync::Arc;

use wearlab_connect::Provider;

/// Returns the connectors of all providers.
pub fn all() -> Vec<Arc<dyn Provider>> {
    vec![Arc::new(oura::Oura)]
}
