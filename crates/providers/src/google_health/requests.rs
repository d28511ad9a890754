//! Requests to the API, with the filters of each kind of type.

use chrono::{Datelike, NaiveDate};
use wearlab_connect::{Refusal, Session, Span};

use super::generated::client::Client;
use super::generated::models::{CivilDateTime, CivilInterval, DailyRollUpRequest, DataPoint, Date, RollUp};
use super::refusal::refusal;
use crate::days::days_after;

/// Points of a page, of types that have more than 25.
const PAGE_SIZE: i64 = 10_000;

/// Requests for the data of one user.
pub(super) struct Requests<'a> {
    session: &'a Session,
    client: Client,
}

impl<'a> Requests<'a> {
    pub(super) fn new(session: &'a Session, client: Client) -> Self {
        Self { session, client }
    }

    /// Reads the sums of each local day of a span.
    pub(super) async fn daily_sums(&self, data_type: &str, span: Span) -> Result<Vec<RollUp>, Refusal> {
        self.session.permit().await;
        let range = CivilInterval::new(midnight(span.first), midnight(days_after(span.last, 1)));
        let request = DailyRollUpRequest {
            window_size_days: Some(1),
            ..DailyRollUpRequest::new(range)
        };
        let page = self.client.roll_up_days(data_type, request).send().await;
        Ok(page.map_err(refusal)?.into_inner().rollup_data_points)
    }

    /// Reads points that are of a day.
    pub(super) async fn days(&self, data_type: &str, span: Span) -> Result<Vec<DataPoint>, Refusal> {
        let member = format!("{}.date", data_type.replace('-', "_"));
        let filter = between(&member, &span.first.to_string(), &days_after(span.last, 1).to_string());
        let call = self
            .client
            .list_data_points(data_type)
            .filter(filter)
            .page_size(PAGE_SIZE);
        self.session.items_or(call, refusal).await
    }

    /// Reads points that have a time.
    pub(super) async fn samples(&self, data_type: &str, span: Span) -> Result<Vec<DataPoint>, Refusal> {
        self.points(data_type, "sample_time.physical_time", span).await
    }

    /// Reads points that have a start and an end.
    pub(super) async fn intervals(&self, data_type: &str, span: Span) -> Result<Vec<DataPoint>, Refusal> {
        self.points(data_type, "interval.start_time", span).await
    }

    async fn points(&self, data_type: &str, member: &str, span: Span) -> Result<Vec<DataPoint>, Refusal> {
        let member = format!("{}.{member}", data_type.replace('-', "_"));
        let filter = between(&member, &utc(span.first), &utc(days_after(span.last, 1)));
        let call = self
            .client
            .reconcile_data_points(data_type)
            .filter(filter)
            .page_size(PAGE_SIZE);
        self.session.items_or(call, refusal).await
    }

    /// Reads all points of a type that has few.
    pub(super) async fn all(&self, data_type: &str) -> Result<Vec<DataPoint>, Refusal> {
        let call = self.client.list_data_points(data_type).page_size(PAGE_SIZE);
        self.session.items_or(call, refusal).await
    }

    /// Reads sleeps, by their end.
    pub(super) async fn sleeps(&self, span: Span) -> Result<Vec<DataPoint>, Refusal> {
        let filter = between(
            "sleep.interval.end_time",
            &utc(span.first),
            &utc(days_after(span.last, 1)),
        );
        let call = self.client.reconcile_data_points("sleep").filter(filter);
        self.session.items_or(call, refusal).await
    }

    /// Reads workouts, by their local start.
    pub(super) async fn exercises(&self, span: Span) -> Result<Vec<DataPoint>, Refusal> {
        let (first, end) = (span.first.to_string(), days_after(span.last, 1).to_string());
        let filter = between("exercise.interval.civil_start_time", &first, &end);
        let call = self.client.reconcile_data_points("exercise").filter(filter);
        self.session.items_or(call, refusal).await
    }
}

/// Returns a filter for values of a member from the first to before the end.
fn between(member: &str, first: &str, end: &str) -> String {
    format!("{member} >= \"{first}\" AND {member} < \"{end}\"")
}

fn utc(day: NaiveDate) -> String {
    format!("{day}T00:00:00Z")
}

fn midnight(day: NaiveDate) -> CivilDateTime {
    CivilDateTime::new(Date::new(day.year().into(), day.month().into(), day.day().into()))
}
