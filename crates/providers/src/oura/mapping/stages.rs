//! Stages of a sleep, from a text with a digit for each interval.

use super::super::generated::models::Sleep;

/// Stage that is not known.
const UNKNOWN: i64 = -1;

/// Consecutive intervals of the same stage, in seconds from the start of the sleep.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Stage {
    pub(super) start: i64,
    pub(super) end: i64,
    /// 1 deep, 2 light, 3 REM, 4 awake, -1 unknown: the provider's numbers are ours.
    pub(super) kind: i64,
}

/// Returns the stages of a sleep, in order. Empty if the provider has none, in either resolution.
pub(super) fn stages(sleep: &Sleep) -> Vec<Stage> {
    let texts = [(&sleep.sleep_phase_30_sec, 30), (&sleep.sleep_phase_5_min, 300)];
    let text = texts.into_iter().find_map(|(text, seconds)| {
        let text = text.as_deref().filter(|text| !text.is_empty())?;
        Some((text, seconds))
    });
    let length = (sleep.bedtime_end - sleep.bedtime_start).num_seconds();
    text.map_or_else(Vec::new, |(text, seconds)| runs(text, seconds, length))
}

/// Merges equal neighbours, up to the end of the sleep.
fn runs(text: &str, seconds: i64, length: i64) -> Vec<Stage> {
    let mut runs: Vec<Stage> = Vec::new();
    for (start, digit) in (0..length)
        .step_by(usize::try_from(seconds).unwrap_or(1))
        .zip(text.chars())
    {
        let end = (start + seconds).min(length);
        let kind = match digit {
            '1'..='4' => i64::from(u32::from(digit) - u32::from('0')),
            _ => UNKNOWN,
        };
        match runs.last_mut().filter(|last| last.kind == kind) {
            Some(last) => last.end = end,
            None => runs.push(Stage { start, end, kind }),
        }
    }
    runs
}

/// Returns the seconds in a stage, if there are stages.
pub(super) fn seconds_in(stages: &[Stage], kind: i64) -> Option<i64> {
    let of_kind = stages.iter().filter(|stage| stage.kind == kind);
    (!stages.is_empty()).then(|| of_kind.map(|stage| stage.end - stage.start).sum())
}
