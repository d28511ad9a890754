//! Operations of the simulated API.

use chrono::Utc;
use wearlab_kit_server::{ApiError, ApiResult, Basic, Scoped};
use wearlab_kit_types::JsonObject;

use super::super::generated::models::{
    Activity, ActivityMap, AspectType, Athlete, CreatedSubscription, Fault, FaultDetail, Notice, ObjectType, StreamSet,
    Subscription,
};
use super::super::generated::server::{
    Auth, CreateSubscriptionInput, DeleteSubscriptionInput, GetActivityInput, GetActivityStreamsInput,
    ListActivitiesInput, ListSubscriptionsInput, PartialApi, RevokeTokenInput,
};
use super::data::{Data, Recorded};
use super::subscriptions::{Subscriptions, refused};
use crate::simulated::oauth::Grant;

/// Activities of a page, by default.
const PAGE_SIZE: i64 = 30;

/// Simulated Strava of one person. Clones share their state.
pub type Simulation = crate::simulated::simulation::Simulation<Data, Subscriptions>;

impl Simulation {
    /// Sends the notice of a change of an activity, once, and returns the status of the response. None without a subscription, or
    /// without a response.
    pub async fn notify(&self, aspect: AspectType, activity_id: i64) -> Option<u16> {
        self.send(ObjectType::Activity, activity_id, aspect, JsonObject::new())
            .await
    }

    /// Ends the grant of the person, sends the notice of it, once, and returns the status of the response.
    pub async fn deauthorise(&self) -> Option<u16> {
        self.grants().revoke_all();
        let id = self.with_data(|data| data.athlete.id);
        let updates = JsonObject::from_iter([("authorized".to_owned(), "false".into())]);
        self.send(ObjectType::Athlete, id, AspectType::Update, updates).await
    }

    /// Signs further notices, or does not, as by default.
    pub fn sign_notices(&self, is_signing: bool) {
        self.extra().sign(is_signing);
    }

    /// Returns the subscription of the application.
    pub fn subscription(&self) -> Option<Subscription> {
        self.extra().get()
    }

    async fn send(&self, of: ObjectType, id: i64, aspect: AspectType, updates: JsonObject) -> Option<u16> {
        let notice = Notice {
            object_type: of,
            object_id: id,
            aspect_type: aspect,
            updates,
            owner_id: self.with_data(|data| data.athlete.id),
            subscription_id: None,
            event_time: Some(Utc::now().timestamp()),
        };
        self.extra().send(notice, self.grants().client_secret()).await
    }

    /// Checks the parameters of an operation of the application.
    fn check_application(&self, client_id: i64, client_secret: &str) -> Result<(), ApiError> {
        match self.grants().is_client(&client_id.to_string(), client_secret) {
            true => Ok(()),
            false => Err(refused(401, "Application", "invalid")),
        }
    }

    /// Returns an activity that a grant covers.
    fn recorded(&self, caller: &Caller, id: i64) -> Result<Recorded, ApiError> {
        self.with_data(|data| {
            let mut activities = data.activities.iter();
            let found = activities.find(|recorded| recorded.activity.id == id && caller.sees(&recorded.activity));
            found
                .cloned()
                .ok_or_else(|| ApiError::not_found("there is no such activity"))
        })
    }
}

/// Application that has the grant of the person.
#[derive(Clone, Debug)]
pub struct Caller(Grant);

impl Caller {
    fn has(&self, scope: &str) -> bool {
        self.0.scopes.contains(scope)
    }

    fn sees(&self, activity: &Activity) -> bool {
        activity.private != Some(true) || self.has("activity:read_all")
    }

    /// Returns the error of a grant without any scope of activities, which is a 401.
    fn check_activities(&self) -> Result<(), ApiError> {
        match self.has("activity:read") || self.has("activity:read_all") {
            true => Ok(()),
            false => Err(missing_scope("activity:read_permission")),
        }
    }
}

impl Scoped for Caller {
    fn has_scope(&self, _: &str) -> bool {
        // A missing scope is a 401 of the operation.
        true
    }
}

impl Auth for Simulation {
    type Oauth = Caller;
    type Application = ();

    async fn oauth(&self, credential: &str) -> Result<Caller, ApiError> {
        self.authenticate(credential).map(Caller)
    }

    async fn application(&self, credential: &Basic) -> Result<(), ApiError> {
        match self.grants().is_client(credential.user(), credential.password()) {
            true => Ok(()),
            false => Err(ApiError::unauthorized("the application is not known")),
        }
    }
}

impl PartialApi for Simulation {
    async fn get_athlete(&self, caller: Caller) -> ApiResult<Athlete> {
        let mut athlete = self.with_data(|data| data.athlete.clone());
        if !caller.has("profile:read_all") {
            athlete.weight = None;
            athlete.resource_state = Some(2);
        }
        Ok(athlete.into())
    }

    /// Activities that the grant does not cover are removed after the page is made, so that it may be short.
    async fn list_activities(&self, caller: Caller, input: ListActivitiesInput) -> ApiResult<Vec<Activity>> {
        caller.check_activities()?;
        let (page, size) = (input.page.unwrap_or(1), input.per_page.unwrap_or(PAGE_SIZE));
        let before = usize::try_from((page - 1) * size).unwrap_or_default();
        let size = usize::try_from(size).unwrap_or_default();
        let activities = self.with_data(|data| {
            let is_within = |activity: &Activity| {
                let start = activity.start_date.timestamp();
                input.after.is_none_or(|after| start > after) && input.before.is_none_or(|before| start < before)
            };
            let within = data.activities.iter().filter(|recorded| is_within(&recorded.activity));
            let page = within
                .skip(before)
                .take(size)
                .map(|recorded| summary(&recorded.activity));
            page.collect::<Vec<_>>()
        });
        Ok(activities
            .into_iter()
            .filter(|activity| caller.sees(activity))
            .collect::<Vec<_>>()
            .into())
    }

    async fn get_activity(&self, caller: Caller, input: GetActivityInput) -> ApiResult<Activity> {
        caller.check_activities()?;
        Ok(self.recorded(&caller, input.id)?.activity.into())
    }

    async fn get_activity_streams(&self, caller: Caller, input: GetActivityStreamsInput) -> ApiResult<StreamSet> {
        caller.check_activities()?;
        let streams = self.recorded(&caller, input.id)?.streams;
        let streams = streams.ok_or_else(|| ApiError::not_found("the activity was entered"))?;
        Ok(streams.into())
    }

    async fn list_subscriptions(&self, input: ListSubscriptionsInput) -> ApiResult<Vec<Subscription>> {
        self.check_application(input.client_id, &input.client_secret)?;
        Ok(self.subscription().into_iter().collect::<Vec<_>>().into())
    }

    async fn create_subscription(&self, input: CreateSubscriptionInput) -> ApiResult<CreatedSubscription> {
        self.check_application(input.body.client_id, input.body.client_secret.expose())?;
        Ok(self.extra().create(input.body).await?.into())
    }

    async fn delete_subscription(&self, input: DeleteSubscriptionInput) -> Result<(), ApiError> {
        self.check_application(input.client_id, &input.client_secret)?;
        self.extra().delete(input.id)
    }

    async fn revoke_token(&self, (): (), input: RevokeTokenInput) -> Result<(), ApiError> {
        self.grants().revoke(input.body.token.expose());
        Ok(())
    }
}

/// Returns the error of a grant without a scope.
fn missing_scope(field: &str) -> ApiError {
    let detail = FaultDetail {
        resource: Some("AccessToken".to_owned()),
        field: Some(field.to_owned()),
        code: Some("missing".to_owned()),
    };
    let fault = Fault {
        message: Some("Authorization Error".to_owned()),
        errors: vec![detail],
    };
    ApiError::with_body(401, "application/json", &fault)
}

/// Returns an activity as lists have it.
fn summary(activity: &Activity) -> Activity {
    let map = activity.map.clone().map(|map| ActivityMap { polyline: None, ..map });
    Activity {
        resource_state: Some(2),
        calories: None,
        description: None,
        device_name: None,
        map,
        ..activity.clone()
    }
}
