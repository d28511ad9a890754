//! Routes of events to hubs and containers.

use super::container::Container;
use crate::kinds::azure_amqp::config::{EventHubsConfig, MatcherConfig};
use crate::kinds::azure_amqp::settings::Settings;

/// The routes of a pipeline: the first that matches an event is used.
pub(super) struct Routes {
    matchers: Vec<(MatcherConfig, Route)>,
    default: Route,
    /// All hubs, each once.
    pub(super) hubs: Vec<String>,
}

/// Routes of events.
pub(super) struct Route {
    pub(super) hub: Option<String>,
    pub(super) container: Option<Container>,
}

impl Routes {
    pub(super) fn new(config: &EventHubsConfig, settings: &Settings) -> Self {
        let default = Route {
            hub: Some(config.default_hub.clone()),
            container: None,
        };
        let route = |matcher: &MatcherConfig| Route {
            hub: matcher.hub.clone(),
            container: matcher
                .container
                .as_ref()
                .map(|config| Container::new(config, settings)),
        };
        let matchers: Vec<_> = (config.matchers.iter())
            .map(|matcher| (matcher.clone(), route(matcher)))
            .collect();
        let mut hubs: Vec<_> = default.hub.iter().cloned().collect();
        for (_, route) in &matchers {
            hubs.extend(
                route
                    .hub
                    .iter()
                    .filter(|hub| !hubs.contains(hub))
                    .cloned()
                    .collect::<Vec<_>>(),
            );
        }
        Self {
            matchers,
            default,
            hubs,
        }
    }

    /// Returns the targets of events of a type.
    pub(super) fn of(&self, event_type: &str) -> &Route {
        let fitting = self.matchers.iter().find(|(matcher, _)| matcher.fits(event_type));
        fitting.map_or(&self.default, |(_, route)| route)
    }

    /// All containers, each once.
    pub(super) fn containers(&self) -> Vec<&Container> {
        let mut containers: Vec<&Container> = Vec::new();
        for container in self.matchers.iter().filter_map(|(_, route)| route.container.as_ref()) {
            if !containers.iter().any(|other| other.is(container)) {
                containers.push(container);
            }
        }
        containers
    }
}
