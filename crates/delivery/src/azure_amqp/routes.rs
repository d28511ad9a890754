//! Which hub and which container an event goes to.

use regex::{Regex, RegexBuilder};
use wearlab_models::{AzureAmqp, EventHubMatcher};

use super::container::Container;
use super::{Endpoint, Settings};
use crate::Unusable;

/// What a compiled expression may take, in bytes.
const LARGEST_REGEX: usize = 1 << 20;

/// The routes of a pipeline: the first that fits an event takes it.
pub(super) struct Routes {
    matchers: Vec<(Conditions, Route)>,
    default: Route,
    /// All hubs, each once.
    pub(super) hubs: Vec<String>,
}

/// Where events go.
pub(super) struct Route {
    pub(super) hub: Option<String>,
    pub(super) container: Option<Container>,
}

struct Conditions {
    prefix: Option<String>,
    regex: Option<Regex>,
}

impl Conditions {
    fn hold(&self, event_type: &str) -> bool {
        let prefix = self
            .prefix
            .as_deref()
            .is_none_or(|prefix| event_type.starts_with(prefix));
        prefix && self.regex.as_ref().is_none_or(|regex| regex.is_match(event_type))
    }
}

impl Routes {
    pub(super) fn new(block: &AzureAmqp, endpoint: &Endpoint, settings: &Settings) -> Result<Self, Unusable> {
        let default = Route {
            hub: Some(hub("default_event_hub".to_owned(), &block.default_event_hub, endpoint)?),
            container: None,
        };
        let matchers = block.event_hub_matchers.iter().enumerate();
        let matchers: Vec<_> = matchers
            .map(|(index, matcher)| {
                let within = format!("event_hub_matchers[{index}]");
                Ok((
                    conditions(&within, matcher)?,
                    route(&within, matcher, endpoint, settings)?,
                ))
            })
            .collect::<Result<_, Unusable>>()?;
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
        Ok(Self {
            matchers,
            default,
            hubs,
        })
    }

    /// Where events of a type go.
    pub(super) fn of(&self, event_type: &str) -> &Route {
        let fitting = self.matchers.iter().find(|(conditions, _)| conditions.hold(event_type));
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

fn conditions(within: &str, matcher: &EventHubMatcher) -> Result<Conditions, Unusable> {
    let (prefix, regex) = (&matcher.event_type_prefix, &matcher.event_type_regex);
    if prefix.is_none() && regex.is_none() {
        let reason = "needs a condition: event_type_prefix, event_type_regex, or both";
        return Err(unusable(within, reason));
    }
    let compile = |pattern: &String| {
        let built = RegexBuilder::new(pattern)
            .size_limit(LARGEST_REGEX)
            .dfa_size_limit(LARGEST_REGEX)
            .build();
        built.map_err(|error| {
            let reason = match error {
                regex::Error::CompiledTooBig(_) => "is too large an expression".to_owned(),
                // The last line says what is wrong, those before it where.
                error => {
                    let text = error.to_string();
                    let last = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
                    format!("is no regular expression: {last}")
                }
            };
            unusable(format!("{within}.event_type_regex"), reason)
        })
    };
    Ok(Conditions {
        prefix: prefix.clone(),
        regex: regex.as_ref().map(compile).transpose()?,
    })
}

fn route(within: &str, matcher: &EventHubMatcher, endpoint: &Endpoint, settings: &Settings) -> Result<Route, Unusable> {
    let to_hub = matcher.event_hub.as_ref();
    let to_container = matcher.blob_storage.as_ref();
    if to_hub.is_none() && to_container.is_none() {
        let reason = "needs a target: event_hub, blob_storage, or both";
        return Err(unusable(within, reason));
    }
    let to_hub = to_hub.map(|name| hub(format!("{within}.event_hub"), name, endpoint));
    let to_container = to_container.map(|block| {
        Container::new(block, settings)
            .map_err(|(field, reason)| unusable(format!("{within}.blob_storage.{field}"), reason))
    });
    Ok(Route {
        hub: to_hub.transpose()?,
        container: to_container.transpose()?,
    })
}

/// A hub's name, where it can be one.
fn hub(field: String, name: &str, endpoint: &Endpoint) -> Result<String, Unusable> {
    let edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    if !edge(name.chars().next()) || !edge(name.chars().last()) || !name.chars().all(plain) || name.len() > 256 {
        let reason =
            "is no name of an event hub: 1 to 256 letters, digits, '.', '-' and '_', a letter or digit at both ends";
        return Err(unusable(field, reason));
    }
    if endpoint
        .only_hub
        .as_ref()
        .is_some_and(|only| !only.eq_ignore_ascii_case(name))
    {
        let reason = "is another hub than EntityPath in azure_amqp.connection_string: give the connection string of the namespace";
        return Err(unusable(field, reason));
    }
    Ok(name.to_owned())
}

fn unusable(field: impl AsRef<str>, reason: impl std::fmt::Display) -> Unusable {
    Unusable::new(format!("azure_amqp.{}", field.as_ref()), reason)
}
