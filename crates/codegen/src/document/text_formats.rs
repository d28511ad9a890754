//! Checks texts against string formats.

use std::net::{Ipv4Addr, Ipv6Addr};

use chrono::{DateTime, NaiveDate};
use uuid::Uuid;

pub(super) fn is_uuid(text: &str) -> bool {
    // Only with hyphens, as in JSON Schema.
    text.len() == 36 && Uuid::try_parse(text).is_ok()
}

pub(super) fn is_date(text: &str) -> bool {
    text.len() == 10 && text.parse::<NaiveDate>().is_ok()
}

pub(super) fn is_time(text: &str) -> bool {
    DateTime::parse_from_rfc3339(text).is_ok()
}

pub(super) fn is_ipv4(text: &str) -> bool {
    text.parse::<Ipv4Addr>().is_ok()
}

pub(super) fn is_ipv6(text: &str) -> bool {
    text.parse::<Ipv6Addr>().is_ok()
}
