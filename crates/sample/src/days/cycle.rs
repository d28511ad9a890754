//! Menstrual cycles.

use chrono::NaiveDate;
use serde_json::{Value, json};

use super::clock::{number, shifted};
use super::noise::Of;
use super::wearer::Wearer;

/// Days of a period.
const PERIOD: i64 = 5;

/// Returns the cycle that began on a day, if one did, with the data up to an instant.
pub(super) fn begun(wearer: &Wearer, day: NaiveDate, known: i64) -> Option<Value> {
    let begins = wearer.is_female && of(wearer, number(day)).0 == number(day);
    begins.then(|| described(wearer, day, wearer.clock.day(known)))
}

/// Returns the first days of the cycle of a day and of the next cycle, as numbers.
fn of(wearer: &Wearer, day: i64) -> (i64, i64) {
    let start = |cycle: i64| cycle * wearer.cycle + (wearer.noise.sway(Of::Cycle, cycle) * 2.5) as i64;
    let cycle = day.div_euclid(wearer.cycle);
    match (start(cycle), start(cycle + 1)) {
        (first, next) if first <= day && day < next => (first, next),
        (first, _) if day < first => (start(cycle - 1), first),
        (_, next) => (next, start(cycle + 2)),
    }
}

/// Returns the first day of the cycle that contains a day.
pub(super) fn first_day(wearer: &Wearer, day: NaiveDate) -> NaiveDate {
    shifted(day, of(wearer, number(day)).0 - number(day))
}

/// Creates a cycle with the data up to a day.
fn described(wearer: &Wearer, first: NaiveDate, today: NaiveDate) -> Value {
    let length = of(wearer, number(first)).1 - number(first);
    let days = (0..length).map(|index| (index, shifted(first, index)));
    let known: Vec<_> = days.take_while(|(_, day)| *day <= today).collect();
    let flow = ["medium", "heavy", "medium", "light", "spotting"];
    let flows = known
        .iter()
        .zip(flow)
        .map(|((_, day), flow)| json!({"date": day, "flow": flow}));
    let ovulation = length - 14;
    let tests = known
        .iter()
        .filter(|(index, _)| (ovulation - 2..=ovulation).contains(index));
    let tests = tests.map(|(index, day)| {
        let result = if *index == ovulation {
            "luteinizing_hormone_surge"
        } else {
            "negative"
        };
        json!({"date": day, "test_result": result})
    });
    let temperatures = known.iter().map(|(index, day)| {
        let base = if *index > ovulation { 36.75 } else { 36.4 };
        let value = base + 0.08 * wearer.noise.sway(Of::Cycle, -number(*day));
        json!({"date": day, "value": (value * 100.0).round() / 100.0})
    });
    let ended = |index: i64| Some(shifted(first, index)).filter(|day| *day <= today);
    json!({
        "period_start": first,
        "period_end": ended(PERIOD - 1),
        "cycle_end": ended(length - 1),
        "is_predicted": false,
        "menstrual_flow": flows.collect::<Vec<_>>(),
        "ovulation_test": tests.collect::<Vec<_>>(),
        "basal_body_temperature": temperatures.collect::<Vec<_>>(),
    })
}
