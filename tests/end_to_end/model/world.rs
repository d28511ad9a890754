//! Expected responses: plain maps, sorted for each request.

use std::collections::{BTreeMap, BTreeSet};

use wearlab_models::{
    CancellationReason, ConnectedProvider, ConnectedSource, DateTime, Device, Environment, Marker, Pipeline, Provider,
    Region, SupportedProvider, User, Uuid,
};

pub(super) const ORGANISATION: &str = "org_model";
pub(super) const KEY: &str = "wl_team_model";
pub(super) const MANAGEMENT: &str = "wl_mgmt_model";
pub(super) const PLACES: [(Environment, Region); 2] = [
    (Environment::Sandbox, Region::Eu),
    (Environment::Production, Region::Us),
];
pub(super) const TESTS: [&str; 3] = ["model-1", "model-2", "model-3"];
pub(super) const ACCOUNTS: [Uuid; 2] = [Uuid::from_u128(0xa1), Uuid::from_u128(0xa2)];
pub(super) const KINDS: [&str; 5] = ["app", "ble", "device", "lab", "provider"];

/// The data of all lists.
#[derive(Clone, Default)]
pub(super) struct World {
    pub(super) users: BTreeMap<Uuid, User>,
    pub(super) connections: BTreeMap<(Uuid, String), ConnectedProvider>,
    pub(super) devices: BTreeMap<Uuid, Device>,
    /// Providers with their source types.
    pub(super) providers: BTreeMap<String, (String, SupportedProvider)>,
    pub(super) reasons: BTreeMap<String, CancellationReason>,
    pub(super) markers: BTreeMap<i64, Marker>,
    pub(super) tests: [BTreeSet<i64>; 3],
    /// Visible markers of each account, by lab test.
    pub(super) accounts: [BTreeMap<usize, BTreeSet<i64>>; 2],
    /// Pipelines with the place of each team.
    pub(super) pipelines: BTreeMap<Uuid, (usize, Pipeline)>,
}

impl World {
    /// Returns the users by time of creation, then by id.
    pub(super) fn user_places(&self) -> Vec<(DateTime, Uuid)> {
        let mut places: Vec<_> = self
            .users
            .values()
            .map(|user| (user.created_on, user.user_id))
            .collect();
        places.sort();
        places
    }

    pub(super) fn listed_users(&self) -> Vec<User> {
        let places = self.user_places().into_iter();
        places.filter_map(|(_, id)| self.user(id)).collect()
    }

    /// Returns a user, with the sources of their connections.
    pub(super) fn user(&self, id: Uuid) -> Option<User> {
        let mut user = self.users.get(&id)?.clone();
        user.connected_sources = self.listed_connections(id).into_iter().map(source).collect();
        Some(user)
    }

    /// Returns connections, oldest first, then by slug.
    pub(super) fn listed_connections(&self, user: Uuid) -> Vec<ConnectedProvider> {
        let of_user = self.connections.iter().filter(|((owner, _), _)| *owner == user);
        let mut list: Vec<_> = of_user.map(|(_, connection)| connection.clone()).collect();
        list.sort_by_key(|connection| (connection.created_on, connection.slug.clone()));
        list
    }

    pub(super) fn listed_devices(&self, user: Uuid) -> Vec<Device> {
        let all = self.devices.values();
        all.filter(|device| device.user_id == user).cloned().collect()
    }

    pub(super) fn catalogue(&self, kind: Option<&str>) -> Vec<SupportedProvider> {
        let all = self.providers.values();
        let some = all.filter(|(own, _)| kind.is_none_or(|kind| kind == own));
        some.map(|(_, provider)| provider.clone()).collect()
    }

    pub(super) fn listed_reasons(&self) -> Vec<CancellationReason> {
        let mut list: Vec<_> = self.reasons.values().cloned().collect();
        list.sort_by_key(|reason| (reason.name.clone(), reason.id.clone()));
        list
    }

    pub(super) fn marker_ids(&self, test: usize, account: Option<usize>) -> Option<Vec<i64>> {
        let ids = match account {
            None => &self.tests[test],
            Some(account) => self.accounts[account].get(&test)?,
        };
        Some(ids.iter().copied().collect())
    }

    pub(super) fn markers(&self, test: usize, account: Option<usize>) -> Option<Vec<Marker>> {
        let ids = self.marker_ids(test, account)?.into_iter();
        Some(ids.map(|id| self.markers[&id].clone()).collect())
    }

    pub(super) fn pipelines(&self, place: usize, after: Option<Uuid>) -> Vec<Pipeline> {
        let all = self.pipelines.values().filter(|(own, _)| *own == place);
        let rest = all.filter(|(_, pipeline)| after.is_none_or(|after| pipeline.team_id > after));
        rest.map(|(_, pipeline)| pipeline.clone()).collect()
    }

    pub(super) fn pipeline_ids(&self, place: usize, after: Option<Uuid>) -> Vec<Uuid> {
        let list = self.pipelines(place, after);
        list.iter().map(|pipeline| pipeline.team_id).collect()
    }
}

fn source(connection: ConnectedProvider) -> ConnectedSource {
    let provider = Provider::builder()
        .name(connection.name)
        .slug(connection.slug)
        .logo(connection.logo)
        .build();
    ConnectedSource::builder()
        .created_on(connection.created_on)
        .source(provider.clone())
        .provider(provider)
        .build()
}
