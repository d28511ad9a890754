//! Simulation of one person, whose refresh tokens stay valid.

use super::data::Data;
use crate::simulated::deviations::Deviations;
use crate::simulated::oauth::Grants;

/// Simulated Google Health of one person. Clones share their state.
pub type Simulation = crate::simulated::simulation::Simulation<Data>;

/// Returns an empty list of consents. A refresh gives no new refresh token.
pub fn grants(client_id: &str, client_secret: &str, token_seconds: u32) -> Grants {
    Grants::new(client_id, client_secret, token_seconds).with_deviations(Deviations {
        keeps_refresh_tokens: true,
        ..Deviations::default()
    })
}
