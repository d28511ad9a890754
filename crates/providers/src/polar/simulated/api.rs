//! Operations of the simulated API.

use chrono::{Days, NaiveDate, Utc};
use wearlab_kit_server::{ApiError, ApiResult, Basic};

use super::super::generated::models::{
    CreatedWebhook, EventType, Exercise, NightlyRecharge, NightlyRechargeList, Notice, Sleep, SleepList, User, Webhook,
    WebhookList,
};
use super::super::generated::server::{
    ActivateWebhookResponse, Auth, CreateWebhookInput, DeleteUserInput, DeleteWebhookInput,
    GetContinuousHeartRateInput, GetContinuousHeartRateResponse, GetPhysicalInfoResponse, ListActivityInput,
    ListActivityResponse, ListBodyTemperatureInput, ListBodyTemperatureResponse, ListEcgInput, ListEcgResponse,
    ListExercisesInput, ListExercisesResponse, ListNightlyRechargeResponse, ListSkinTemperatureInput,
    ListSkinTemperatureResponse, ListSleepResponse, ListSpo2Input, ListSpo2Response, PartialApi, RegisterUserInput,
    RegisterUserResponse, UpdateWebhookInput,
};
use super::data::Data;
use super::webhook::Webhooks;
use crate::simulated::oauth::Grant;

/// Days of lists, and maximum days of a request.
const LIST_DAYS: u64 = 28;
/// Days of the list of exercises.
const EXERCISE_DAYS: u64 = 30;
/// Days before today of which data can be requested.
const HISTORY_DAYS: u64 = 365;

/// Simulated Polar of one person. Clones share their state.
pub type Simulation = crate::simulated::simulation::Simulation<Data, Webhooks>;

/// Days of a request, both included.
#[derive(Clone, Copy)]
struct Requested(NaiveDate, NaiveDate);

impl Requested {
    fn contains(self, day: NaiveDate) -> bool {
        (self.0..=self.1).contains(&day)
    }
}

impl Simulation {
    /// Sends the signed notice of an event of a day, or of an exercise, once, and returns the status of the response. None without
    /// a response, or without an active webhook that has the event.
    pub async fn notify(&self, event: EventType, day: Option<NaiveDate>, exercise: Option<&str>) -> Option<u16> {
        let notice = Notice {
            event,
            user_id: Some(self.with_data(|data| data.user_id)),
            timestamp: Some(Utc::now().fixed_offset()),
            url: None,
            entity_id: exercise.map(str::to_owned),
            date: day,
            from: None,
            to: None,
        };
        self.extra().send(&notice).await
    }

    /// Returns the webhook of the application.
    pub fn webhook(&self) -> Option<Webhook> {
        self.extra().get()
    }

    /// Deactivates the webhook, as after 7 days of failures. Returns whether there is one.
    pub fn deactivate_webhook(&self) -> bool {
        self.extra().set_active(false)
    }

    /// Reads data of a person who is registered, and has accepted all consents.
    fn reading<T>(&self, read: impl FnOnce(&Data) -> T) -> Result<T, ApiError> {
        self.with_data(|data| match data.is_registered && data.has_consents {
            true => Ok(read(data)),
            false => Err(ApiError::forbidden(
                "the person is not registered, or has not accepted all consents",
            )),
        })
    }

    /// Reads data of the requested days, of the last weeks by default.
    fn reading_of<T>(
        &self,
        from: Option<NaiveDate>,
        to: Option<NaiveDate>,
        read: impl FnOnce(&Data, Requested) -> T,
    ) -> Result<T, ApiError> {
        let today = self.with_data(|data| data.today);
        let days = Requested(from.unwrap_or(today - Days::new(LIST_DAYS - 1)), to.unwrap_or(today));
        let length = (days.1 - days.0).num_days() + 1;
        if !(1..=LIST_DAYS as i64).contains(&length) {
            return Err(ApiError::bad_request("at most 28 days can be requested"));
        }
        if days.0 < today - Days::new(HISTORY_DAYS) {
            return Err(ApiError::bad_request("the first day is too long ago"));
        }
        self.reading(|data| read(data, days))
    }
}

impl Auth for Simulation {
    type Oauth = Grant;
    type Application = ();

    async fn oauth(&self, credential: &str) -> Result<Grant, ApiError> {
        self.authenticate(credential)
    }

    async fn application(&self, credential: &Basic) -> Result<(), ApiError> {
        match self.grants().is_client(credential.user(), credential.password()) {
            true => Ok(()),
            false => Err(ApiError::unauthorized("the application is not known")),
        }
    }
}

/// Returns items of the last days up to today.
fn last<T: Clone>(items: &[T], today: NaiveDate, days: u64, day: impl Fn(&T) -> NaiveDate) -> Vec<T> {
    let first = today - Days::new(days - 1);
    items.iter().filter(|item| day(item) >= first).cloned().collect()
}

/// Returns the response of a list: another one if it is empty.
macro_rules! listed {
    ($response:ident, $items:expr) => {{
        let items: Vec<_> = $items?;
        Ok(match items.is_empty() {
            true => $response::NoContent,
            false => $response::Ok(items),
        })
    }};
}

impl PartialApi for Simulation {
    async fn register_user(&self, _: Grant, input: RegisterUserInput) -> Result<RegisterUserResponse, ApiError> {
        self.with_data(|data| {
            if !data.has_consents {
                return Err(ApiError::forbidden("the person has not accepted all consents"));
            }
            if data.is_registered {
                return Err(ApiError::conflict("the person is registered", "user", None));
            }
            data.is_registered = true;
            Ok(RegisterUserResponse::Ok(User {
                polar_user_id: data.user_id,
                member_id: Some(input.body.member_id),
                registration_date: None,
                first_name: Some("Kim".to_owned()),
                last_name: None,
                birthdate: None,
                gender: None,
                weight: None,
                height: None,
            }))
        })
    }

    async fn delete_user(&self, _: Grant, input: DeleteUserInput) -> Result<(), ApiError> {
        if self.with_data(|data| data.user_id) != input.user_id {
            return Err(ApiError::forbidden("the person is another one"));
        }
        self.with_data(|data| data.is_registered = false);
        self.grants().revoke_all();
        Ok(())
    }

    async fn get_physical_info(&self, _: Grant) -> Result<GetPhysicalInfoResponse, ApiError> {
        Ok(GetPhysicalInfoResponse::Ok(self.reading(|data| data.info.clone())?))
    }

    /// Exercises without the parts that were not requested.
    async fn list_exercises(&self, _: Grant, input: ListExercisesInput) -> Result<ListExercisesResponse, ApiError> {
        let mut exercises = self.reading(|data| {
            let day = |exercise: &Exercise| exercise.start_time[..10].parse().unwrap_or(data.today);
            last(&data.exercises, data.today, EXERCISE_DAYS, day)
        })?;
        for exercise in &mut exercises {
            if input.samples != Some(true) {
                exercise.samples.clear();
            }
            if input.zones != Some(true) {
                exercise.heart_rate_zones.clear();
            }
            if input.route != Some(true) {
                exercise.route.clear();
            }
        }
        listed!(ListExercisesResponse, Ok::<_, ApiError>(exercises))
    }

    async fn list_activity(&self, _: Grant, input: ListActivityInput) -> Result<ListActivityResponse, ApiError> {
        let (steps, zones) = (input.steps == Some(true), input.activity_zones == Some(true));
        let activity = self.reading_of(input.from, input.to, |data, days| {
            let mut found = Vec::new();
            for (day, activity) in data.activity.iter().filter(|(day, _)| days.contains(**day)) {
                let mut activity = activity.clone();
                if let Some(samples) = &mut activity.samples {
                    samples.date = Some(*day);
                    samples.steps = samples.steps.take().filter(|_| steps);
                    samples.activity_zones = samples.activity_zones.take().filter(|_| zones);
                }
                activity.samples = activity.samples.filter(|_| steps || zones);
                found.push(activity);
            }
            found
        });
        listed!(ListActivityResponse, activity)
    }

    async fn list_sleep(&self, _: Grant) -> Result<ListSleepResponse, ApiError> {
        let day = |night: &Sleep| night.date;
        let nights = self.reading(|data| last(&data.nights, data.today, LIST_DAYS, day))?;
        Ok(match nights.is_empty() {
            true => ListSleepResponse::NoContent,
            false => ListSleepResponse::Ok(SleepList { nights }),
        })
    }

    async fn list_nightly_recharge(&self, _: Grant) -> Result<ListNightlyRechargeResponse, ApiError> {
        let day = |recharge: &NightlyRecharge| recharge.date;
        let recharges = self.reading(|data| last(&data.recharges, data.today, LIST_DAYS, day))?;
        Ok(ListNightlyRechargeResponse::Ok(NightlyRechargeList { recharges }))
    }

    async fn get_continuous_heart_rate(
        &self,
        _: Grant,
        input: GetContinuousHeartRateInput,
    ) -> Result<GetContinuousHeartRateResponse, ApiError> {
        let found = self.reading(|data| data.heart_rate.get(&input.date).cloned())?;
        let found = found.ok_or_else(|| ApiError::not_found("there are no samples of that day"))?;
        Ok(GetContinuousHeartRateResponse::Ok(found))
    }

    async fn list_body_temperature(
        &self,
        _: Grant,
        input: ListBodyTemperatureInput,
    ) -> Result<ListBodyTemperatureResponse, ApiError> {
        let found = self.reading_of(input.from, input.to, |data, days| {
            let of_day = data.temperatures.iter().filter(|(day, _)| days.contains(**day));
            of_day.map(|(_, period)| period.clone()).collect()
        });
        listed!(ListBodyTemperatureResponse, found)
    }

    async fn list_skin_temperature(
        &self,
        _: Grant,
        input: ListSkinTemperatureInput,
    ) -> Result<ListSkinTemperatureResponse, ApiError> {
        let found = self.reading_of(input.from, input.to, |data, days| {
            let of_day = data.skin.iter().filter(|skin| days.contains(skin.sleep_date));
            of_day.cloned().collect()
        });
        listed!(ListSkinTemperatureResponse, found)
    }

    async fn list_spo2(&self, _: Grant, input: ListSpo2Input) -> Result<ListSpo2Response, ApiError> {
        let found = self.reading_of(input.from, input.to, |data, days| {
            let of_day = data.tests.iter().filter(|(day, _)| days.contains(**day));
            of_day.map(|(_, test)| test.clone()).collect()
        });
        listed!(ListSpo2Response, found)
    }

    async fn list_ecg(&self, _: Grant, input: ListEcgInput) -> Result<ListEcgResponse, ApiError> {
        let found = self.reading_of(input.from, input.to, |data, days| {
            let of_day = data.cardiograms.iter().filter(|(day, _)| days.contains(**day));
            of_day.map(|(_, cardiogram)| cardiogram.clone()).collect()
        });
        listed!(ListEcgResponse, found)
    }

    async fn get_webhook(&self, (): ()) -> ApiResult<WebhookList> {
        let data = self.webhook().into_iter().collect();
        Ok(WebhookList { data }.into())
    }

    async fn create_webhook(&self, (): (), input: CreateWebhookInput) -> ApiResult<CreatedWebhook> {
        let data = self.extra().create(input.body).await?;
        Ok(CreatedWebhook { data }.into())
    }

    async fn update_webhook(&self, (): (), input: UpdateWebhookInput) -> ApiResult<WebhookList> {
        let changed = self.extra().update(&input.webhook_id, input.body).await?;
        Ok(WebhookList { data: vec![changed] }.into())
    }

    async fn delete_webhook(&self, (): (), input: DeleteWebhookInput) -> Result<(), ApiError> {
        self.extra().delete(&input.webhook_id)
    }

    async fn activate_webhook(&self, (): ()) -> Result<ActivateWebhookResponse, ApiError> {
        Ok(match self.extra().set_active(true) {
            true => ActivateWebhookResponse::Ok,
            false => ActivateWebhookResponse::NoContent,
        })
    }
}
