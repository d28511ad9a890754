//! Tests of values of one line that are, or may be, the same summary.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{Just, Strategy, prop_assert_eq, proptest};
use serde_json::{Value, json};

use super::memory::Memory;
use crate::IngestError;

fn session(start: u32, end: Option<u32>, provider_id: Option<u32>, steps: usize) -> Value {
    let time = |hour: u32| format!("2026-05-01T{hour:02}:00:00Z");
    json!({"start": time(start), "end": end.map(time), "provider_id": provider_id.map(|id| id.to_string()), "steps": steps})
}

/// Returns the positions of an error.
fn refused(values: &[Value]) -> (String, String) {
    match Memory::default().take("activity", values) {
        Err(IngestError::Refused { field, reason }) => (field, reason),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_value_that_overlaps_any_other_is_refused_in_each_order() {
    let [a, b, c] = [(0, 4), (7, 12), (8, 10)].map(|(start, end)| session(start, Some(end), None, 1));
    for values in [
        [&a, &b, &c],
        [&a, &c, &b],
        [&b, &a, &c],
        [&b, &c, &a],
        [&c, &a, &b],
        [&c, &b, &a],
    ] {
        let (field, reason) = refused(&values.map(Clone::clone));
        let place = |value: &Value| values.iter().position(|other| *other == value).expect("a place");
        let (first, second) = (place(&b).min(place(&c)), place(&b).max(place(&c)));
        assert_eq!(field, format!("data[{second}]"));
        assert!(reason.contains(&format!("data[{first}]")), "{reason}");
    }
    // Two are distinct, and a third one overlaps both.
    let both = session(2, Some(9), None, 1);
    for values in [[&a, &c, &both], [&a, &both, &c], [&both, &a, &c]] {
        refused(&values.map(Clone::clone));
    }
    assert!(Memory::default().take("activity", &[a, c]).is_ok());
}

#[test]
fn of_a_provider_id_the_last_value_of_a_line_counts() {
    let mut memory = Memory::default();
    let of =
        |id: u32, day: &str, steps: u32| json!({"provider_id": id.to_string(), "calendar_date": day, "steps": steps});
    let values = [
        of(1, "2026-05-01", 1),
        of(2, "2026-05-01", 2),
        of(1, "2026-05-01", 3),
        of(2, "2026-05-02", 4),
    ];
    memory.take("activity", &values).expect("is taken");
    let mut steps = memory.members("activity", "steps");
    steps.sort_by_key(Value::as_u64);
    assert_eq!(steps, [3, 4]);
}

/// Session with a provider id: two are the same summary if neither their ids nor their times distinguish them.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Item {
    start: Option<u32>,
    end: Option<u32>,
    provider_id: Option<u32>,
}

impl Item {
    fn json(self, steps: usize) -> Value {
        match self.start {
            Some(start) => session(start, self.end, self.provider_id, steps),
            None => json!({"provider_id": self.provider_id.map(|id| id.to_string()), "steps": steps}),
        }
    }

    fn is_distinct(self, other: Self) -> bool {
        if let (Some(id), Some(other_id)) = (self.provider_id, other.provider_id) {
            // Of values with one id, the last counts.
            return id != other_id;
        }
        let (Some(start), Some(other_start)) = (self.start, other.start) else {
            return false;
        };
        match (self.end, other.end) {
            _ if start == other_start => false,
            (Some(end), Some(other_end)) => start.max(other_start) >= end.min(other_end),
            _ => true,
        }
    }
}

proptest! {
    #[test]
    fn a_line_is_refused_where_any_two_of_its_values_are_indistinct(
        values in vec((option::weighted(0.9, 0..20_u32), option::of(0..6_u32), option::of(0..8_u32)), 2..6)
            .prop_flat_map(|values| (Just(values.clone()), Just(values).prop_shuffle())),
    ) {
        let of = |values: &[(Option<u32>, Option<u32>, Option<u32>)]| -> Vec<Item> {
            let value = |(start, length, provider_id): &(Option<u32>, Option<u32>, Option<u32>)| Item {
                start: *start,
                end: start.zip(*length).map(|(start, length)| start + length.min(23 - start)),
                provider_id: *provider_id,
            };
            values.iter().map(value).collect()
        };
        let is_refused = |values: &[Item]| {
            // Each has other content.
            let values: Vec<_> = values.iter().enumerate().map(|(steps, value)| value.json(steps)).collect();
            Memory::default().take("activity", &values).is_err()
        };
        let (values, shuffled) = (of(&values.0), of(&values.1));
        let pairs = values.iter().enumerate().flat_map(|(at, value)| values[at + 1..].iter().map(move |other| (*value, *other)));
        let is_ambiguous = pairs.clone().any(|(value, other)| !value.is_distinct(other));
        let has_repeated_id = pairs.clone().any(|(value, other)| value.provider_id.is_some() && value.provider_id == other.provider_id);
        // Of values with one id, only the last is compared.
        if !has_repeated_id {
            prop_assert_eq!(is_refused(&values), is_ambiguous, "{:?}", values);
            prop_assert_eq!(is_refused(&shuffled), is_ambiguous, "{:?}", shuffled);
        }
    }
}
