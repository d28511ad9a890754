//! Users.

use wearlab_models::{FallbackBirthDate, FallbackTimeZone, User, Uuid};

use super::generator::{Generator, before_others};
use super::identity::user_id;

/// Number of users with days of data in a demo: the described one and some of each team.
pub(super) const WITH_DAYS: u32 = 8;

const ZONES: &[&str] = &[
    "America/Chicago",
    "America/Denver",
    "America/Los_Angeles",
    "America/New_York",
    "America/Sao_Paulo",
    "Africa/Nairobi",
    "Asia/Kolkata",
    "Asia/Tokyo",
    "Australia/Sydney",
    "Europe/Berlin",
    "Europe/London",
    "Europe/Oslo",
    "Pacific/Auckland",
    "UTC",
];

/// Sources of a fallback.
const SOURCES: &[&str] = &["manual", "stridewell", "fennrow", "pocketvitals"];

/// Creates a user without connections. The first user has every optional field, and a span of data without a practical
/// end.
pub(super) fn make(draw: &mut Generator, team_id: Uuid, index: u32) -> User {
    let user_id = user_id(draw);
    let drawn = draw.time();
    // The first users, which have days of data, are the first in lists.
    let created_on = if index < WITH_DAYS { before_others(index) } else { drawn };
    let full = index == 0;
    let birth_date = (full | draw.percent(60)).then(|| {
        FallbackBirthDate::builder()
            .value(match full {
                true => draw.date(1985, 12 * 365),
                false => draw.date(1945, 60 * 365),
            })
            .source_slug(*draw.one_of(SOURCES))
            .updated_at(draw.after(created_on, 90))
            .build()
    });
    let start = (full | draw.percent(40)).then(|| draw.date(2023, 700));
    let end = (full | draw.percent(25)).then(|| draw.date(if full { 2090 } else { 2027 }, 1_000));
    let zone = FallbackTimeZone::builder()
        .id(*draw.one_of(ZONES))
        .source_slug(*draw.one_of(SOURCES))
        .updated_at(draw.after(created_on, 90))
        .build();
    User::builder()
        .user_id(user_id)
        .team_id(team_id)
        .client_user_id(format!("client-{index:06}"))
        .created_on(created_on)
        .connected_sources(Vec::new())
        .fallback_time_zone(zone)
        .maybe_fallback_birth_date(birth_date)
        .maybe_ingestion_start(start)
        .maybe_ingestion_end(end)
        .build()
}
