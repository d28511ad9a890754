//! Reads of time series: pages of samples.

use serde::Serialize;
use wearlab_ingest::{DataKind, Sample, SampleForm};
use wearlab_models::{Encoded, ResourceName, Uuid};
use wearlab_server::{ApiError, ApiResult, Reply};
use wearlab_store::{PageLimit, SampleFilter, SampleGroup, SamplePage, SamplePosition, TeamId};

use super::cursor::Listing;
use super::dates::{Dates, zone};
use super::source_details::SourceDetails;
use super::{Opened, Service, no_user, store_error};

/// The most samples of a page.
const PAGE: usize = 10_000;

/// What samples a request is about.
#[derive(Serialize)]
pub(super) struct SampleQuery {
    pub(super) user_id: Uuid,
    pub(super) start_date: String,
    pub(super) end_date: Option<String>,
    pub(super) provider: Option<String>,
    #[serde(skip)]
    pub(super) next_cursor: Option<String>,
}

/// The resource of a time series by its name in paths, which is another one for two of them.
pub(super) fn resource_of(name: &str) -> Result<ResourceName, ApiError> {
    let resource = match name {
        "body_weight" => ResourceName::Weight,
        "body_fat" => ResourceName::Fat,
        name => ResourceName::from(name),
    };
    let is_series = matches!(DataKind::of(&resource), DataKind::Samples { .. });
    match is_series && !matches!(resource, ResourceName::BloodPressure | ResourceName::Note) {
        true => Ok(resource),
        false => Err(ApiError::not_found("No such time series.")),
    }
}

impl Service {
    /// A page of samples, by provider and source.
    pub(super) async fn samples<P>(&self, team: TeamId, resource: ResourceName, query: SampleQuery) -> ApiResult<P> {
        let user = self.user(team, query.user_id).await?;
        let dates = Dates {
            start: &query.start_date,
            end: query.end_date.as_deref(),
            zone: zone(&user.fallback_time_zone.id),
            now: (self.now)(),
        };
        let [start, end] = dates.span()?;
        let Opened { store, cursors, .. } = self.opened()?;
        let listing = Listing::new("samples", (team.uuid(), resource.as_str(), &query));
        let after: Option<SamplePosition> = cursors.after(query.next_cursor.as_deref(), &listing)?;
        let filter = SampleFilter {
            resource: &resource,
            span: start.timestamp_micros()..end.timestamp_micros(),
            provider: query.provider.as_deref(),
            after: after.as_ref(),
        };
        let limit = PageLimit {
            items: PAGE,
            bytes: self.settings.limits.page_bytes,
        };
        let page = store
            .team(team)
            .samples(query.user_id, &filter, limit)
            .await
            .map_err(store_error)?;
        let page = page.ok_or_else(no_user)?;
        let next = page.next.as_ref().map(|after| cursors.seal(after, &listing));
        let details = self.source_details(team, query.user_id).await?;
        let form = SampleForm::of(&resource);
        let json = page_json(&page, form, next.as_deref(), &details);
        Ok(Reply::Encoded(Encoded::from_stored(json)))
    }
}

/// A page as the interface has it: groups by the slug of their provider, which come one after another.
fn page_json(page: &SamplePage, form: SampleForm, next: Option<&str>, details: &SourceDetails) -> Vec<u8> {
    let mut json = br#"{"groups":{"#.to_vec();
    let mut provider: Option<&str> = None;
    for SampleGroup {
        provider: slug,
        source,
        samples,
    } in &page.groups
    {
        match provider == Some(slug) {
            true => json.push(b','),
            false => {
                json.extend_from_slice(if provider.is_some() { b"]," } else { b"" });
                push_text(&mut json, slug);
                json.extend_from_slice(b":[");
                provider = Some(slug);
            }
        }
        json.extend_from_slice(br#"{"source":{"provider":"#);
        push_text(&mut json, slug);
        json.extend_from_slice(br#","type":"#);
        push_text(&mut json, source.kind());
        json.extend_from_slice(br#","app_id":"#);
        match &source.app_id {
            Some(app) => push_text(&mut json, app),
            None => json.extend_from_slice(b"null"),
        }
        for (name, value) in details.of(slug) {
            json.push(b',');
            push_text(&mut json, name);
            json.push(b':');
            push_text(&mut json, value);
        }
        json.extend_from_slice(br#"},"data":"#);
        push_samples(&mut json, form, samples);
        json.push(b'}');
    }
    json.extend_from_slice(if provider.is_some() { b"]}" } else { b"}" });
    for name in ["next", "next_cursor"] {
        json.push(b',');
        push_text(&mut json, name);
        json.push(b':');
        match next {
            Some(next) => push_text(&mut json, next),
            None => json.extend_from_slice(b"null"),
        }
    }
    json.push(b'}');
    json
}

pub(super) fn push_samples(json: &mut Vec<u8>, form: SampleForm, samples: &[Sample]) {
    json.push(b'[');
    for (index, sample) in samples.iter().enumerate() {
        if index > 0 {
            json.push(b',');
        }
        sample.write_as(form, json);
    }
    json.push(b']');
}

pub(super) fn push_text(json: &mut Vec<u8>, text: &str) {
    // Writing a text into memory does not fail.
    drop(serde_json::to_writer(json, text));
}
