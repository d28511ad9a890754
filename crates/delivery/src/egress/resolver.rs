//! DNS resolver of an HTTP client, which leaves out the addresses that a policy does not allow.

use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::Policy;

/// Resolves names for the connections themselves. An address that it leaves out cannot be connected to, even if the name
/// changes its address after a check.
pub(super) struct Resolver(pub(super) Arc<Policy>);

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let policy = Arc::clone(&self.0);
        Box::pin(async move {
            // The caller fills in the port.
            let addresses = policy.resolve(name.as_str(), 0).await?;
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;
    use std::sync::Arc;

    use reqwest::dns::Resolve;

    use super::{Policy, Resolver};

    async fn resolve(policy: Policy, name: &str) -> Result<Vec<SocketAddr>, String> {
        let resolver = Resolver(Arc::new(policy));
        match resolver.resolve(name.parse().expect("a name")).await {
            Ok(addresses) => Ok(addresses.collect()),
            Err(error) => Err(error.to_string()),
        }
    }

    #[tokio::test]
    async fn addresses_that_are_not_allowed_are_left_out() {
        let error = resolve(Policy::default(), "localhost").await.expect_err("not public");
        assert!(
            error.contains("no public address") && error.contains("`egress.allow_networks`"),
            "{error}"
        );

        let policy = Policy {
            allow_networks: vec!["127.0.0.0/8".parse().expect("a network")],
            ..Policy::default()
        };
        // Where the machine has ::1 for the name too, that one is left out.
        let addresses = resolve(policy, "localhost").await.expect("allowed");
        assert!(
            !addresses.is_empty() && addresses.iter().all(SocketAddr::is_ipv4),
            "{addresses:?}"
        );
    }
}
