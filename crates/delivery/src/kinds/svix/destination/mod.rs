//! Application of a Svix server, as a destination.

mod api;
mod response;

use std::fmt;

use wearlab_models::{Svix, Uuid};

use super::Settings;
use crate::fan_out::{Concurrency, unordered};
use crate::kinds::kind::{Connect, Target};
use crate::{Check, Checked, ConfigError, Delivery, Destination, Message, Outcome};

use self::api::Api;

/// Maximum number of messages of one call.
const BATCH: usize = 100;

/// The application of one team. `Debug` shows only the server's host.
pub struct Application {
    team_id: Uuid,
    api: Api,
    in_flight: usize,
}

impl Application {
    /// The application of a team, by the block of its pipeline.
    ///
    /// # Errors
    ///
    /// If the block asks for the server of a region and there is none, or the settings name no server or token that
    /// can be used.
    pub fn new(team_id: Uuid, block: &Svix, settings: &Settings) -> Result<Self, ConfigError> {
        Self::from_config(team_id, block.regional, settings)
    }

    /// The application of a team, on the server of the team's region if `regional`.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn from_config(team_id: Uuid, regional: bool, settings: &Settings) -> Result<Self, ConfigError> {
        Ok(Self {
            team_id,
            api: Api::new(team_id, regional, settings)?,
            in_flight: settings.in_flight,
        })
    }

    /// Sends messages, once the application exists.
    async fn send<'a>(&'a self, messages: &'a [Message]) -> Vec<Outcome> {
        if messages.is_empty() {
            return Vec::new();
        }
        if let Err(outcome) = self.api.make_application().await {
            return unordered(messages, Concurrency::fixed(1), |_| std::future::ready(outcome.clone())).await;
        }
        let concurrency = Concurrency::fixed(self.in_flight);
        unordered(messages, concurrency, |message: &'a Message| self.api.send(message)).await
    }
}

impl Destination for Application {
    fn ordered(&self) -> bool {
        false
    }

    fn batch(&self) -> usize {
        BATCH
    }

    fn deliver<'a>(&'a self, messages: &'a [Message]) -> Delivery<'a> {
        Box::pin(self.send(messages))
    }

    fn check<'a>(&'a self, message: &'a Message) -> Check<'a> {
        Box::pin(async move {
            let target = format!("application {} at {}", self.team_id, self.api.host());
            let outcomes = self.send(std::slice::from_ref(message)).await;
            let checked = outcomes.into_iter().map(|outcome| Checked {
                target: target.clone(),
                outcome,
            });
            checked.collect()
        })
    }
}

impl fmt::Debug for Application {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Application")
            .field("team_id", &self.team_id)
            .field("host", &self.api.host())
            .finish_non_exhaustive()
    }
}

impl Connect for Svix {
    fn connect(
        regional: bool,
        settings: &Option<Settings>,
        target: &Target<'_>,
    ) -> Result<Box<dyn Destination>, ConfigError> {
        let settings = settings.clone();
        let mut settings = settings.ok_or_else(|| ConfigError::new("svix", "no server is configured"))?;
        settings.region = target.team.map(|team| team.region);
        Ok(Box::new(Application::from_config(target.team_id, regional, &settings)?))
    }
}
