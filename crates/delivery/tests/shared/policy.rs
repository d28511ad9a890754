//! Egress policy for peers on this machine.

use wearlab_delivery::egress::Policy;

/// A policy that allows loopback without TLS.
pub(crate) fn local() -> Policy {
    Policy {
        allow_plaintext: true,
        allow_networks: vec!["127.0.0.0/8".parse().expect("a network")],
        ..Policy::default()
    }
}
