//! Sleep: the stages of a few nights, or the length of each stage, night by night.

use chrono::{DateTime, Days, Utc};
use serde::Serialize;
use wearlab_models::SleepCycleSummary;

use super::super::authenticated_page::AuthenticatedPage;
use super::super::error::PageError;
use super::request::Request;

/// Stages, deepest first: 1, 2, 3 and 4 in a summary. It has 0 or -1 for unknown ones.
pub(super) const STAGES: [&str; 4] = ["deep", "light", "rem", "awake"];

/// Points of the sleep chart.
#[derive(Serialize)]
pub(super) struct Sleep {
    /// Number of nights.
    pub(super) nights: usize,
    /// Length of each stage in all nights, in s, in the order of `STAGES`.
    pub(super) total: [i64; 4],
    /// Stages: start, end, and index of the stage. Empty if there are more than fit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) stages: Vec<(i64, i64, usize)>,
    /// Nights: start, end, and length of each stage. If there are too many, each is the mean of several.
    pub(super) by_night: Vec<(i64, i64, [i64; 4])>,
}

pub(super) async fn read(auth: &AuthenticatedPage, request: &Request) -> Result<Sleep, PageError> {
    let team = auth.service.console_team(&auth.organisation, request.team_id).await?;
    let day = |second: i64| DateTime::<Utc>::from_timestamp(second, 0).map(|time| time.date_naive());
    let days = day(request.from)
        .zip(day(request.to))
        .ok_or_else(PageError::not_found)?;
    // Summaries are by day of the user, which may differ from the day of UTC.
    let first = days.0.checked_sub_days(Days::new(1)).unwrap_or(days.0);
    let last = days.1.checked_add_days(Days::new(1)).unwrap_or(days.1);
    let mut nights = Nights::new(request.from, request.to, request.points);
    let mut from = first;
    // Read in parts: the nights of years may not fit into memory.
    while from <= last {
        let to = from.checked_add_days(Days::new(180)).unwrap_or(last).min(last);
        let sleep = auth
            .service
            .console_sleep(team, request.user_id, from..=to, &request.provider);
        nights.add(&sleep.await?);
        let Some(next) = to.succ_opt() else { break };
        from = next;
    }
    Ok(nights.into_sleep())
}

/// Builder of the points of nights, of each kind at most `most`.
struct Nights {
    from: i64,
    to: i64,
    most: usize,
    by_night: Vec<(i64, i64, [i64; 4])>,
    /// Stages, unless there are too many.
    stages: Option<Vec<(i64, i64, usize)>>,
}

impl Nights {
    fn new(from: i64, to: i64, most: usize) -> Self {
        Self {
            from,
            to,
            most,
            by_night: Vec::new(),
            stages: Some(Vec::new()),
        }
    }

    fn add(&mut self, nights: &[SleepCycleSummary]) {
        for night in nights {
            let (start, end) = (night.session_start.timestamp(), night.session_end.timestamp());
            if end <= self.from || start >= self.to {
                continue;
            }
            let mut lengths = [0; 4];
            for (start, end, stage) in stages_of(night) {
                lengths[stage] += end - start;
                if let Some(stages) = &mut self.stages {
                    stages.push((start, end, stage));
                }
            }
            self.by_night.push((start, end, lengths));
            self.stages.take_if(|stages| stages.len() > self.most);
        }
    }

    fn into_sleep(mut self) -> Sleep {
        self.by_night.sort_unstable();
        let mut total = [0; 4];
        for (.., lengths) in &self.by_night {
            for (sum, length) in total.iter_mut().zip(lengths) {
                *sum += length;
            }
        }
        Sleep {
            nights: self.by_night.len(),
            total,
            stages: self.stages.unwrap_or_default(),
            by_night: grouped(self.by_night, self.most),
        }
    }
}

/// Returns the known stages of a night, in s since 1970.
fn stages_of(night: &SleepCycleSummary) -> impl Iterator<Item = (i64, i64, usize)> {
    let began = night.session_start.timestamp();
    let spans = night
        .stage_start_offset_second
        .iter()
        .zip(&night.stage_end_offset_second);
    spans.zip(&night.stage_type).filter_map(move |((start, end), stage)| {
        let stage = usize::try_from(stage.checked_sub(1)?)
            .ok()
            .filter(|stage| *stage < STAGES.len())?;
        (start < end).then(|| (began.saturating_add(*start), began.saturating_add(*end), stage))
    })
}

/// Merges neighbouring nights if there are too many.
fn grouped(nights: Vec<(i64, i64, [i64; 4])>, most: usize) -> Vec<(i64, i64, [i64; 4])> {
    let size = nights.len().div_ceil(most.max(1)).max(1);
    let groups = nights.chunks(size).map(|group| {
        let (first, last) = (group[0], group[group.len() - 1]);
        let count = i64::try_from(group.len()).unwrap_or(1);
        let mean = |stage: usize| group.iter().map(|(.., lengths)| lengths[stage]).sum::<i64>() / count;
        (first.0, last.1, [mean(0), mean(1), mean(2), mean(3)])
    });
    groups.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use wearlab_models::SleepCycleSummary;

    use super::{Nights, Sleep};

    /// Returns a night of two hours: deep, light, unknown, awake, of half an hour each.
    fn night(day: i64) -> SleepCycleSummary {
        let start = chrono::DateTime::from_timestamp(day * 86_400, 0).expect("a time");
        serde_json::from_value(json!({
            "id": "n", "user_id": uuid::Uuid::nil(), "sleep_id": uuid::Uuid::nil(),
            "source": {"provider": "p", "type": "watch", "app_id": null},
            "session_start": start.to_rfc3339(), "session_end": (start + chrono::TimeDelta::hours(2)).to_rfc3339(),
            "stage_start_offset_second": [0, 1_800, 3_600, 5_400], "stage_end_offset_second": [1_800, 3_600, 5_400, 7_200],
            "stage_type": [1, 2, -1, 4], "time_zone": "UTC", "hypnogram": [],
            "created_at": start.to_rfc3339(), "updated_at": start.to_rfc3339()
        }))
        .expect("a summary")
    }

    fn points(nights: &[SleepCycleSummary], from: i64, to: i64, most: usize) -> Sleep {
        let mut seen = Nights::new(from, to, most);
        // Added in parts, as they are read.
        nights.chunks(2).for_each(|some| seen.add(some));
        seen.into_sleep()
    }

    #[test]
    fn stages_are_shown_where_they_fit() {
        let nights = [night(1), night(2), night(9)];
        let sleep = points(&nights, 86_400, 3 * 86_400, 100);
        assert_eq!((sleep.nights, sleep.total), (2, [3_600, 3_600, 0, 3_600]));
        assert_eq!(
            sleep.stages[..3],
            [(86_400, 88_200, 0), (88_200, 90_000, 1), (91_800, 93_600, 3)]
        );
        assert_eq!(sleep.by_night[1], (172_800, 180_000, [1_800, 1_800, 0, 1_800]));
    }

    #[test]
    fn many_nights_become_few() {
        let nights: Vec<_> = (0..100).map(night).collect();
        let sleep = points(&nights, 0, 1_000 * 86_400, 30);
        assert!(sleep.stages.is_empty());
        assert_eq!((sleep.nights, sleep.by_night.len()), (100, 25));
        assert_eq!(sleep.by_night[0], (0, 3 * 86_400 + 7_200, [1_800, 1_800, 0, 1_800]));
    }
}
