//! Operations of the simulated API.

use chrono::{NaiveDate, TimeDelta, Utc};
use uuid::Uuid;
use wearlab_kit_server::{ApiError, ApiResult, Scoped};
use wearlab_models::DateTime;

use super::super::generated::models::{
    DailyActivityPage, DailyReadinessPage, DailySleepPage, DailySpo2Page, DataType, EventType, HeartRatePage, Notice,
    PersonalInfo, SleepPage, Subscription, Vo2MaxPage, Workout, WorkoutPage,
};
use super::super::generated::server::{
    Auth, CreateSubscriptionInput, DeleteSubscriptionInput, GetSubscriptionInput, ListDailyActivityInput,
    ListDailyReadinessInput, ListDailySleepInput, ListDailySpo2Input, ListHeartRateInput, ListSleepInput,
    ListVo2MaxInput, ListWorkoutsInput, PartialApi, RenewSubscriptionInput, RevokeTokenInput, UpdateSubscriptionInput,
};
use super::data::Data;
use super::subscriptions::Subscriptions;
use crate::simulated::oauth::Grant;
use crate::simulated::pages::page;

/// Documents and samples of a page.
const PAGE_DOCUMENTS: usize = 15;
const PAGE_SAMPLES: usize = 1_000;
/// Maximum days of a request for heart rate.
const HEART_RATE_DAYS: i64 = 30;

/// Simulated Oura of one person. Clones share their state.
pub type Simulation = crate::simulated::simulation::Simulation<Data, Subscriptions>;

impl Simulation {
    /// Sends the signed notice of an event of a document of the person, once, and returns the status of the response. None if
    /// nothing is subscribed to it, or the URL does not answer.
    pub async fn notify(&self, event_type: EventType, data_type: DataType, object_id: &str) -> Option<u16> {
        let notice = Notice {
            event_type,
            data_type,
            object_id: object_id.to_owned(),
            event_time: Some(Utc::now().fixed_offset()),
            user_id: self.with_data(|data| data.person.id.clone()),
        };
        self.extra().send(&notice, self.grants().client_secret()).await
    }

    /// Returns the subscriptions of the application.
    pub fn subscriptions(&self) -> Vec<Subscription> {
        self.extra().list()
    }

    /// Lets a subscription end after a time. Returns whether there is one.
    pub fn end_subscription_in(&self, id: Uuid, time: TimeDelta) -> bool {
        self.extra().end_in(id, time).is_ok()
    }

    /// Returns a page of the documents of the given days. Where the end is inclusive differs, as at Oura.
    fn days<T: Clone>(
        &self,
        of: impl FnOnce(&Data) -> &Vec<T>,
        is_within: impl Fn(&T) -> bool,
        token: Option<&str>,
    ) -> Result<(Vec<T>, Option<String>), ApiError> {
        self.with_data(|data| {
            let documents = of(data).iter().filter(|document| is_within(document));
            page(documents, token, PAGE_DOCUMENTS)
        })
    }
}

/// Days of a request.
#[derive(Clone, Copy)]
struct Dates(Option<NaiveDate>, Option<NaiveDate>);

impl Dates {
    fn contains_inclusive(self, day: NaiveDate) -> bool {
        self.0.is_none_or(|start| start <= day) && self.1.is_none_or(|end| day <= end)
    }

    fn contains_exclusive(self, day: NaiveDate) -> bool {
        self.0.is_none_or(|start| start <= day) && self.1.is_none_or(|end| day < end)
    }

    fn contains_between(self, day: NaiveDate) -> bool {
        self.0.is_none_or(|start| start < day) && self.1.is_none_or(|end| day < end)
    }
}

impl Auth for Simulation {
    type Oauth = Caller;
    type ClientId = ();
    type ClientSecret = ();

    async fn oauth(&self, credential: &str) -> Result<Caller, ApiError> {
        self.authenticate(credential).map(Caller)
    }

    async fn client_id(&self, credential: &str) -> Result<(), ApiError> {
        let is_client = credential == self.grants().client_id();
        is_client.then_some(()).ok_or_else(unknown_client)
    }

    async fn client_secret(&self, credential: &str) -> Result<(), ApiError> {
        let is_client = credential == self.grants().client_secret();
        is_client.then_some(()).ok_or_else(unknown_client)
    }
}

fn unknown_client() -> ApiError {
    ApiError::unauthorized("the client is not the application")
}

/// Application that has the grant of the person.
#[derive(Clone, Debug)]
pub struct Caller(Grant);

impl Scoped for Caller {
    fn has_scope(&self, scope: &str) -> bool {
        // `vO2_max` responds with a 401 of its own.
        scope == "heart_health" || self.0.scopes.contains(scope)
    }
}

impl PartialApi for Simulation {
    async fn get_personal_info(&self, caller: Caller) -> ApiResult<PersonalInfo> {
        let mut person = self.with_data(|data| data.person.clone());
        if !caller.0.scopes.contains("email") {
            person.email = None;
        }
        if !caller.0.scopes.contains("personal") {
            person = PersonalInfo {
                age: None,
                weight: None,
                height: None,
                biological_sex: None,
                ..person
            };
        }
        Ok(person.into())
    }

    async fn list_daily_activity(&self, _: Caller, input: ListDailyActivityInput) -> ApiResult<DailyActivityPage> {
        let dates = Dates(input.start_date, input.end_date);
        let token = input.next_token.as_deref();
        let (data, next_token) = self.days(|data| &data.activity, |day| dates.contains_exclusive(day.day), token)?;
        Ok(DailyActivityPage { data, next_token }.into())
    }

    async fn list_daily_sleep(&self, _: Caller, input: ListDailySleepInput) -> ApiResult<DailySleepPage> {
        let dates = Dates(input.start_date, input.end_date);
        let token = input.next_token.as_deref();
        let (data, next_token) = self.days(
            |data| &data.sleep_scores,
            |score| dates.contains_inclusive(score.day),
            token,
        )?;
        Ok(DailySleepPage { data, next_token }.into())
    }

    async fn list_daily_readiness(&self, _: Caller, input: ListDailyReadinessInput) -> ApiResult<DailyReadinessPage> {
        let dates = Dates(input.start_date, input.end_date);
        let token = input.next_token.as_deref();
        let (data, next_token) = self.days(|data| &data.readiness, |day| dates.contains_inclusive(day.day), token)?;
        Ok(DailyReadinessPage { data, next_token }.into())
    }

    async fn list_daily_spo2(&self, _: Caller, input: ListDailySpo2Input) -> ApiResult<DailySpo2Page> {
        let dates = Dates(input.start_date, input.end_date);
        let token = input.next_token.as_deref();
        let (data, next_token) = self.days(|data| &data.spo2, |day| dates.contains_inclusive(day.day), token)?;
        Ok(DailySpo2Page { data, next_token }.into())
    }

    async fn list_vo2_max(&self, caller: Caller, input: ListVo2MaxInput) -> ApiResult<Vo2MaxPage> {
        if !caller.0.scopes.contains("heart_health") {
            return Err(ApiError::unauthorized("the access token lacks a scope"));
        }
        let dates = Dates(input.start_date, input.end_date);
        let token = input.next_token.as_deref();
        let (data, next_token) = self.days(|data| &data.vo2_max, |day| dates.contains_exclusive(day.day), token)?;
        Ok(Vo2MaxPage { data, next_token }.into())
    }

    async fn list_sleep(&self, _: Caller, input: ListSleepInput) -> ApiResult<SleepPage> {
        let dates = Dates(input.start_date, input.end_date);
        let token = input.next_token.as_deref();
        let (data, next_token) = self.days(|data| &data.sleep, |sleep| dates.contains_between(sleep.day), token)?;
        Ok(SleepPage { data, next_token }.into())
    }

    async fn list_workouts(&self, _: Caller, input: ListWorkoutsInput) -> ApiResult<WorkoutPage> {
        let dates = Dates(input.start_date, input.end_date);
        let token = input.next_token.as_deref();
        let is_within = |workout: &Workout| dates.contains_exclusive(workout.start_datetime.to_utc().date_naive());
        let (data, next_token) = self.days(|data| &data.workouts, is_within, token)?;
        Ok(WorkoutPage { data, next_token }.into())
    }

    async fn list_heart_rate(&self, _: Caller, input: ListHeartRateInput) -> ApiResult<HeartRatePage> {
        let last = self.with_data(|data| data.heart_rate.last().map(|sample| sample.timestamp));
        let Some(end) = input.end_datetime.or(last) else {
            let page = HeartRatePage {
                data: Vec::new(),
                next_token: None,
            };
            return Ok(page.into());
        };
        let start: DateTime = input.start_datetime.unwrap_or(end - TimeDelta::days(1));
        if end - start > TimeDelta::days(HEART_RATE_DAYS) {
            return Err(ApiError::bad_request("at most 30 days can be requested"));
        }
        let (data, next_token) = self.with_data(|data| {
            let samples = data.heart_rate.iter();
            let samples = samples.filter(|sample| (start..end).contains(&sample.timestamp));
            page(samples, input.next_token.as_deref(), PAGE_SAMPLES)
        })?;
        Ok(HeartRatePage { data, next_token }.into())
    }

    async fn list_subscriptions(&self, (): (), (): ()) -> ApiResult<Vec<Subscription>> {
        Ok(self.subscriptions().into())
    }

    async fn create_subscription(&self, (): (), (): (), input: CreateSubscriptionInput) -> ApiResult<Subscription> {
        Ok(self.extra().create(input.body).await?.into())
    }

    async fn get_subscription(&self, (): (), (): (), input: GetSubscriptionInput) -> ApiResult<Subscription> {
        Ok(self.extra().get(input.id)?.into())
    }

    async fn update_subscription(&self, (): (), (): (), input: UpdateSubscriptionInput) -> ApiResult<Subscription> {
        Ok(self.extra().update(input.id, input.body).await?.into())
    }

    async fn delete_subscription(&self, (): (), (): (), input: DeleteSubscriptionInput) -> Result<(), ApiError> {
        self.extra().delete(input.id)
    }

    async fn renew_subscription(&self, (): (), (): (), input: RenewSubscriptionInput) -> ApiResult<Subscription> {
        Ok(self.extra().renew(input.id)?.into())
    }

    async fn revoke_token(&self, input: RevokeTokenInput) -> Result<(), ApiError> {
        match self.grants().revoke(&input.access_token) {
            true => Ok(()),
            false => Err(ApiError::bad_request("the access token is not valid")),
        }
    }
}
