//! Stages of a sleep, from a text with a digit for each interval.

use super::super::generated::models::Sleep;
use crate::stages::{Stage, UNKNOWN, push};

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
        // The provider's numbers are ours.
        let kind = match digit {
            '1'..='4' => i64::from(u32::from(digit) - u32::from('0')),
            _ => UNKNOWN,
        };
        push(&mut runs, Stage { start, end, kind });
    }
    runs
}
