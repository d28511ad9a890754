//! Converts the deprecated forms of events to the current ones.
#![expect(deprecated, reason = "deprecated forms are what is upgraded")]

use super::loss::Loss;
use super::sessions::sleep_cycles;
use crate::{
    DailyHypnogramEvent, DailySleepCycleData, DailySleepCycleEvent, Event, HistoricalHypnogramEvent,
    HistoricalSleepCycleData, HistoricalSleepCycleEvent, ProviderConnection, ResourceName, SourceContext,
};

/// An event in the current form, with the losses of the conversion.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Upgraded {
    /// The event.
    pub event: Event,
    /// Losses and assumptions of the upgrade; none for a current event.
    pub losses: Vec<Loss>,
}

impl Event {
    /// Converts an event of a deprecated form to the current one. A current one stays as it is.
    ///
    /// - The hypnogram events become sleep cycle events. A service that still sends them sends those of sleep cycles
    ///   beside them, with other ids: consumers that get both drop the hypnogram events instead.
    /// - `source` becomes `provider` in `provider.connection.created`.
    /// - The `slug` of a source becomes its `provider`, and `name` and `logo` go. A source with neither slug nor provider
    ///   keeps its name and logo: nothing else names the source of the data.
    /// - `is_final` goes.
    pub fn upgraded(self) -> Upgraded {
        let mut losses = Vec::new();
        let event = match self {
            Self::DailyHypnogramCreated(event) => {
                Self::DailySleepCycleCreated(daily(event, "daily.data.sleep_cycle.created", &mut losses))
            }
            Self::DailyHypnogramUpdated(event) => {
                Self::DailySleepCycleUpdated(daily(event, "daily.data.sleep_cycle.updated", &mut losses))
            }
            Self::HistoricalHypnogramCreated(event) => {
                Self::HistoricalSleepCycleCreated(historical(event, &mut losses))
            }
            Self::DailyDataCreated(mut event) => {
                source(&mut event.data.source, &mut losses);
                Self::DailyDataCreated(event)
            }
            Self::DailyDataUpdated(mut event) => {
                source(&mut event.data.source, &mut losses);
                Self::DailyDataUpdated(event)
            }
            Self::DailySleepCycleCreated(mut event) => {
                source(&mut event.data.source, &mut losses);
                Self::DailySleepCycleCreated(event)
            }
            Self::DailySleepCycleUpdated(mut event) => {
                source(&mut event.data.source, &mut losses);
                Self::DailySleepCycleUpdated(event)
            }
            Self::HistoricalDataCreated(mut event) => {
                is_final(&mut event.data.is_final, &mut losses);
                Self::HistoricalDataCreated(event)
            }
            Self::HistoricalSleepCycleCreated(mut event) => {
                is_final(&mut event.data.is_final, &mut losses);
                Self::HistoricalSleepCycleCreated(event)
            }
            Self::ProviderConnectionCreated(mut event) => {
                connection(&mut event.data);
                Self::ProviderConnectionCreated(event)
            }
            current => current,
        };
        Upgraded { event, losses }
    }
}

fn daily(event: DailyHypnogramEvent, event_type: &str, losses: &mut Vec<Loss>) -> DailySleepCycleEvent {
    let mut data = event.data;
    source(&mut data.source, losses);
    let provider = data.source.provider.as_deref().unwrap_or_default();
    DailySleepCycleEvent {
        event_type: event_type.to_owned(),
        user_id: event.user_id,
        client_user_id: event.client_user_id,
        team_id: event.team_id,
        event_id: event.event_id,
        data: DailySleepCycleData {
            data: sleep_cycles(event.user_id, provider, data.data, losses),
            source: data.source,
            raw: data.raw,
        },
    }
}

fn historical(event: HistoricalHypnogramEvent, losses: &mut Vec<Loss>) -> HistoricalSleepCycleEvent {
    let data = event.data;
    HistoricalSleepCycleEvent {
        event_type: "historical.data.sleep_cycle.created".to_owned(),
        user_id: event.user_id,
        client_user_id: event.client_user_id,
        team_id: event.team_id,
        event_id: event.event_id,
        data: HistoricalSleepCycleData {
            data: sleep_cycles(event.user_id, &data.provider, data.data, losses),
            provider: data.provider,
            resource: ResourceName::SleepCycle,
            start_date: data.start_date,
            end_date: data.end_date,
            is_final: None,
        },
    }
}

fn source(source: &mut SourceContext, losses: &mut Vec<Loss>) {
    let slug = source.slug.take();
    if source.provider.is_none() {
        source.provider = slug;
    }
    if source.provider.is_some() {
        let details = [source.name.take(), source.logo.take()];
        if details.iter().any(Option::is_some) {
            losses.push(Loss::ProviderDetails);
        }
    }
}

fn connection(connection: &mut ProviderConnection) {
    let source = connection.source.take();
    if connection.provider.is_none() {
        connection.provider = source;
    }
}

fn is_final(is_final: &mut Option<bool>, losses: &mut Vec<Loss>) {
    if is_final.take() == Some(false) {
        losses.push(Loss::NotFinal);
    }
}
