//! Samples as JSON, and the time series of samples.

use wearlab_ingest::{Sample, SampleForm, is_numeric};
use wearlab_models::ResourceName;
use wearlab_server::ApiError;
use wearlab_store::{SampleGroup, SamplePage};

use super::source_details::SourceDetails;

/// Returns the resource of a time series by its name in paths, which differs for some of them.
pub(super) fn resource_of(name: &str) -> Result<ResourceName, ApiError> {
    let known = ResourceName::KNOWN.iter().find(|known| known.path_name() == Some(name));
    let resource = known.cloned().unwrap_or_else(|| ResourceName::from(name));
    match is_numeric(&resource) {
        true => Ok(resource),
        false => Err(ApiError::not_found("No such time series.")),
    }
}

/// Formats a page for a response: groups by the slug of their provider, in sequence.
pub(super) fn page_json(page: &SamplePage, form: SampleForm, next: Option<&str>, details: &SourceDetails) -> Vec<u8> {
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
    // Writing a text into memory cannot fail.
    drop(serde_json::to_writer(json, text));
}

#[cfg(test)]
mod tests {
    use wearlab_ingest::is_numeric;
    use wearlab_models::{ResourceName, TimeseriesResource};

    #[test]
    fn every_numeric_series_is_a_time_series() {
        let numeric = ResourceName::KNOWN.iter().filter(|resource| is_numeric(resource));
        let names: Vec<_> = numeric
            .map(|series| series.path_name().unwrap_or(series.as_str()))
            .collect();
        let listed: Vec<_> = TimeseriesResource::KNOWN
            .iter()
            .map(TimeseriesResource::as_str)
            .collect();
        assert_eq!(
            listed, names,
            "list the values of the right side as TimeseriesResource in spec/timeseries.yaml"
        );
    }
}
