//! Bodies without members.

use super::super::generated::models::{ActivityPage, HeartPage, MeasureGroupPage, SleepPage, Token};

pub(super) fn no_token() -> Token {
    Token {
        userid: None,
        access_token: None,
        refresh_token: None,
        expires_in: None,
        scope: None,
        csrf_token: None,
        token_type: None,
    }
}

pub(super) fn no_groups() -> MeasureGroupPage {
    MeasureGroupPage {
        updatetime: None,
        timezone: None,
        measuregrps: Vec::new(),
        more: None,
        offset: None,
    }
}

pub(super) fn no_activity() -> ActivityPage {
    ActivityPage {
        activities: Vec::new(),
        series: None,
        more: None,
        offset: None,
    }
}

pub(super) fn no_sleep() -> SleepPage {
    SleepPage {
        series: Vec::new(),
        more: None,
        offset: None,
    }
}

pub(super) fn no_heart() -> HeartPage {
    HeartPage {
        series: Vec::new(),
        more: None,
        offset: None,
        signal: Vec::new(),
        sampling_frequency: None,
        wearposition: None,
        heart_rate: None,
    }
}
