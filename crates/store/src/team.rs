//! Data of a team.

use std::ops::RangeInclusive;

use chrono::NaiveDate;
use uuid::Uuid;
use wearlab_database::Access;
use wearlab_ingest::Sample;
use wearlab_ingest::orders::ReportedResults;
use wearlab_models::{
    ConnectedProvider, Device, Encoded, LabTest, Marker, Order, ProfileSummary, ResourceName, User, UserList,
    UserPulls, UserResources,
};

use crate::core::Core;
use crate::reads::reads;
use crate::{
    IntrospectionFilter, IntrospectionPage, LabTestPage, MarkerPage, OrderFilter, OrderPage, OrderPlace, PageLimit,
    Record, SampleFilter, SamplePage, Session, Store, StoreError, SummaryList, TeamId, UserPage, ValuePosition,
    ValuesPage, WebhookEndpoint, WebhookPage,
};

/// Data of one team. Data of other teams is out of reach.
#[derive(Clone, Copy, Debug)]
pub struct TeamStore<'a> {
    store: &'a Store,
    team: TeamId,
}

impl Store {
    /// Returns the store of a team.
    pub fn team(&self, team: TeamId) -> TeamStore<'_> {
        TeamStore::new(self, team)
    }
}

impl<'a> TeamStore<'a> {
    pub(crate) fn new(store: &'a Store, team: TeamId) -> Self {
        Self { store, team }
    }

    /// Reads a user of the team.
    pub async fn user(&self, user_id: Uuid) -> Result<Option<Encoded<User>>, StoreError> {
        let cached = self.store.core().cached_user(self.team, user_id);
        let read = |core: &Core| core.user(self.team, user_id);
        self.store.read_cached("user", cached, read).await
    }

    /// Reads a page of the team's users, sorted by time of creation and then by id.
    pub async fn users(&self, offset: i64, limit: i64) -> Result<UserPage, StoreError> {
        let read = |core: &Core| core.users(self.team, offset, limit);
        self.store.run("users", Access::Read, read).await
    }

    /// Reads the same page in the form of the API.
    pub async fn user_list(&self, offset: i64, limit: i64) -> Result<Encoded<UserList>, StoreError> {
        let cached = self.store.core().cached_user_list(self.team, offset, limit);
        let read = |core: &Core| core.user_list(self.team, offset, limit);
        self.store.read_cached("users", cached, read).await
    }

    /// Reads the summaries of a user, of a resource and of days, sorted by day. None if the team has no such user.
    pub async fn summaries<T>(
        &self,
        user_id: Uuid,
        resource: &ResourceName,
        days: RangeInclusive<NaiveDate>,
        provider: Option<&str>,
    ) -> Result<Option<Vec<Encoded<T>>>, StoreError> {
        self.store
            .read("summaries", |reader| {
                reader.summaries(self.team, user_id, resource, &days, provider)
            })
            .await
    }

    /// Reads the same summaries, or only their ids if the summaries exceed `bytes` together.
    pub async fn summary_list<T>(
        &self,
        user_id: Uuid,
        resource: &ResourceName,
        days: RangeInclusive<NaiveDate>,
        provider: Option<&str>,
        bytes: usize,
    ) -> Result<Option<SummaryList<T>>, StoreError> {
        self.store
            .snapshot("summaries", |reader| {
                reader.summary_list(self.team, user_id, resource, &days, (provider, bytes))
            })
            .await
    }

    /// Reads the first of the summaries with these ids, up to `bytes` together, but at least one. Returns also the
    /// number of ids that were processed. Deleted summaries are left out.
    pub async fn some_summaries<T>(
        &self,
        user_id: Uuid,
        resource: &ResourceName,
        ids: &[Uuid],
        bytes: usize,
    ) -> Result<(Vec<Encoded<T>>, usize), StoreError> {
        self.store
            .snapshot("some_summaries", |reader| {
                reader.some_summaries(self.team, user_id, resource, ids, bytes)
            })
            .await
    }

    /// Reads a page of samples of a user. None if the team has no such user.
    pub async fn samples(
        &self,
        user_id: Uuid,
        filter: &SampleFilter<'_>,
        limit: impl Into<PageLimit>,
    ) -> Result<Option<SamplePage>, StoreError> {
        let limit = limit.into();
        self.store
            .snapshot("samples", |reader| reader.samples(self.team, user_id, filter, limit))
            .await
    }
}

reads! { TeamStore<'_> => self.store;
    /// Reads the user of the team with a `client_user_id`.
    read fn user_of_client(&self, client_user_id: &str) -> Option<Encoded<User>> =
        |reader| reader.user_of_client(self.team, client_user_id);

    /// Reads at most `limit` users whose `client_user_id` has a prefix, sorted by it.
    read fn users_by_prefix(&self, prefix: &str, limit: usize) -> Vec<Encoded<User>> =
        |reader| reader.users_by_prefix(self.team, prefix, limit);

    /// Reads the connection of a user with a provider. None if there is none, or the team has no such user.
    snapshot fn connection(&self, user_id: Uuid, slug: &str) -> Option<ConnectedProvider> =
        |reader| reader.connection(self.team, user_id, slug);

    /// Reads the connections of a user, oldest first and then by slug. None if the team has no such user.
    read fn connections(&self, user_id: Uuid) -> Option<Vec<Encoded<ConnectedProvider>>> =
        |reader| reader.connections(self.team, user_id);

    /// Reads a user with their connections, devices and orders, as records. None if the team has no such user.
    snapshot fn user_export(&self, user_id: Uuid) -> Option<Vec<Record>> =
        |reader| reader.user_export(self.team, user_id);

    /// Reads a page of the values of a user as records, with the position of the next page, if there is one. None if
    /// the team has no such user. Later pages include new values after the position.
    snapshot fn user_export_values(&self, user_id: Uuid, after: ValuePosition) -> Option<ValuesPage> =
        |reader| reader.user_export_values(self.team, user_id, after);

    /// Reads a page of the team's webhook endpoints, by id, after one of them.
    read fn webhooks(&self, after: Option<&str>, limit: usize) -> WebhookPage as "team_webhooks" =
        |reader| reader.team_webhooks(self.team, after, limit);

    /// Reads a webhook endpoint of the team.
    read fn webhook(&self, id: &str) -> Option<WebhookEndpoint> as "team_webhook" =
        |reader| reader.team_webhook(self.team, id);

    /// Reads the devices of a user, by id. None if the team has no such user.
    read fn devices(&self, user_id: Uuid) -> Option<Vec<Encoded<Device>>> = |reader| reader.devices(self.team, user_id);

    /// Reads a device of a user of the team.
    snapshot fn device(&self, user_id: Uuid, device_id: Uuid) -> Option<Encoded<Device>> =
        |reader| reader.device(self.team, user_id, device_id);

    /// Reads the profile of a user that changed last, if there is one. None if the team has no such user.
    snapshot fn profile(&self, user_id: Uuid, provider: Option<&str>) -> Option<Option<Encoded<ProfileSummary>>> =
        |reader| reader.profile(self.team, user_id, provider);

    /// Returns the session of sleep or the workout whose summary has an id. If senders gave one id to several users,
    /// returns the sessions of two of these.
    read fn sessions(&self, resource: &ResourceName, summary_id: Uuid) -> Vec<Session> =
        |reader| reader.sessions(self.team, resource, summary_id);

    /// Reads the samples within a session, of its own source, by resource. None if they exceed about `bytes`.
    snapshot fn session_samples(&self, session: &Session, bytes: usize) -> Option<Vec<(ResourceName, Vec<Sample>)>> =
        |reader| reader.session_samples(self.team, session, bytes);

    /// Reads a page of at most `limit` users with the sync status of their resources. None if the team has no such
    /// user.
    snapshot fn introspected_resources(
        &self,
        filter: &IntrospectionFilter<'_>,
        limit: usize,
    ) -> Option<IntrospectionPage<UserResources>> =
        |reader| reader.introspected_resources(self.team, filter, limit);

    /// Reads a page of at most `limit` users with their historical pulls. None if the team has no such user.
    snapshot fn historical_pulls(
        &self,
        filter: &IntrospectionFilter<'_>,
        limit: usize,
    ) -> Option<IntrospectionPage<UserPulls>> =
        |reader| reader.historical_pulls(self.team, filter, limit);

    /// Reads a page of the markers of a lab test, by id, or of those that a lab account may see. Pages count from 1.
    ///
    /// None if there is no such lab test, if the team has no such account, or if the account may not see the test.
    snapshot fn markers(&self, lab_test_id: &str, account: Option<Uuid>, page: i64, size: i64) -> Option<MarkerPage> =
        |reader| reader.markers(self.team, lab_test_id, account, page, size);

    /// Reads a page of at most `limit` lab tests, by id, after one of them. If an account is given, only the tests that
    /// it may see.
    ///
    /// None if the team has no such account.
    snapshot fn lab_tests(&self, account: Option<Uuid>, after: Option<&str>, limit: usize) -> Option<LabTestPage> =
        |reader| reader.lab_tests(self.team, account, after, limit);

    /// Reads one lab test with its markers. If an account is given, only the markers that it may see.
    ///
    /// None if there is no such lab test, if the team has no such account, or if the account may not see the test.
    snapshot fn lab_test(&self, lab_test_id: &str, account: Option<Uuid>) -> Option<LabTest> =
        |reader| reader.lab_test(self.team, lab_test_id, account);

    /// Reads markers of a lab by their ids, and by the ids that the lab gives them. If an account is given, only those
    /// that it may see. Unknown ids are left out.
    snapshot fn markers_of(&self, account: Option<Uuid>, lab_id: i64, named: (&[i64], &[String])) -> Vec<Marker> =
        |reader| reader.markers_of(self.team, account, lab_id, named);

    /// Reads an order of the team.
    read fn order(&self, order_id: Uuid) -> Option<Encoded<Order>> = |reader| reader.order(self.team, order_id);

    /// Reads an order of the team with its reported results, if there are any.
    snapshot fn order_with_results(&self, order_id: Uuid) -> Option<(Order, Option<ReportedResults>)> =
        |reader| reader.order_with_results(self.team, order_id);

    /// Reads a page of the team's orders that pass a filter, sorted by time of creation, or their locations if the
    /// orders exceed `bytes` together. Pages count from 1.
    snapshot fn orders(&self, filter: &OrderFilter, page: i64, size: i64, bytes: usize) -> OrderPage =
        |reader| reader.orders(self.team, filter, page, size, bytes);

    /// Reads the orders at the first of some locations, up to `bytes` together, but at least one. None in place of a
    /// deleted order.
    read fn some_orders(&self, places: &[OrderPlace], bytes: usize) -> Vec<Option<Encoded<Order>>> =
        |reader| reader.some_orders(self.team, places, bytes);
}
