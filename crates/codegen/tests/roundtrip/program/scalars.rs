//! Texts and numbers of schemas, as strategies.

use std::net::{Ipv4Addr, Ipv6Addr};

use proptest::prelude::*;
use proptest::string::string_regex;
use serde_json::{Value, json};

pub(super) fn string(schema: &Value) -> BoxedStrategy<String> {
    let lengths = |usual: usize| {
        let least = schema["minLength"].as_u64().unwrap_or(0) as usize;
        let most = schema["maxLength"].as_u64().map_or(least + usual, |most| most as usize);
        (least, most.min(least + usual))
    };
    if let Some(pattern) = schema["pattern"].as_str() {
        let (least, most) = lengths(usize::from(u8::MAX));
        return string_regex(&unanchored(pattern))
            .unwrap_or_else(|error| panic!("{pattern}: {error}"))
            .prop_filter("of a length", move |text| {
                (least..=most).contains(&text.chars().count())
            })
            .boxed();
    }
    match schema["format"].as_str() {
        Some("uuid") => any::<u128>()
            .prop_map(|n| {
                let hex = format!("{n:032x}");
                let parts = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
                parts.join("-")
            })
            .boxed(),
        Some("date") => date().boxed(),
        Some("email") => "[a-z]{1,6}@example\\.com".boxed(),
        Some("ipv4") => any::<Ipv4Addr>().prop_map(|address| address.to_string()).boxed(),
        Some("ipv6") => any::<Ipv6Addr>().prop_map(|address| address.to_string()).boxed(),
        Some("date-time") => (date(), 0..24u8, 0..60u8, 0..60u8, 0..24u8, any::<bool>())
            .prop_map(|(date, hour, minute, second, offset, east)| {
                let offset = match (offset, east) {
                    (0, _) => "Z".to_owned(),
                    (hours, true) => format!("+{hours:02}:00"),
                    (hours, false) => format!("-{hours:02}:00"),
                };
                format!("{date}T{hour:02}:{minute:02}:{second:02}{offset}")
            })
            .boxed(),
        _ => {
            let (least, most) = lengths(8);
            string_regex(&format!("[a-zA-Z0-9 _./%?&=#+é\"\\\\日-]{{{least},{most}}}"))
                .expect("a pattern")
                .boxed()
        }
    }
}

/// A pattern of ECMA-262 without its anchors, and with the classes that it has there.
fn unanchored(pattern: &str) -> String {
    let (mut whole, mut within, mut characters) = (String::new(), false, pattern.chars());
    while let Some(character) = characters.next() {
        match character {
            '\\' => match (characters.next(), within) {
                (Some('d'), false) => whole.push_str("[0-9]"),
                (Some('d'), true) => whole.push_str("0-9"),
                (Some('w'), false) => whole.push_str("[A-Za-z0-9_]"),
                (Some('w'), true) => whole.push_str("A-Za-z0-9_"),
                (Some('b'), false) => {}
                (other, _) => whole.extend(['\\'].into_iter().chain(other)),
            },
            '^' | '$' if !within => {}
            _ => {
                within = match character {
                    '[' => true,
                    ']' => false,
                    _ => within,
                };
                whole.push(character);
            }
        }
    }
    whole
}

/// Eighths, which are exact in binary.
pub(super) fn number(schema: &Value) -> BoxedStrategy<Value> {
    let bound = |key: &str| schema[key].as_f64().map(|bound| (bound * 8.0) as i32);
    let least = [bound("minimum"), bound("exclusiveMinimum").map(|bound| bound + 1)];
    let most = [bound("maximum"), bound("exclusiveMaximum").map(|bound| bound - 1)];
    let least = least.into_iter().flatten().max().unwrap_or(i32::MIN);
    let most = most.into_iter().flatten().min().unwrap_or(i32::MAX);
    let step = bound("multipleOf").unwrap_or(1).max(1);
    prop_oneof![6 => least..=most, 1 => Just(least), 1 => Just(most)]
        .prop_map(move |n| n / step * step)
        .prop_filter("within bounds", move |n| (least..=most).contains(n))
        .prop_map(|n| json!(f64::from(n) / 8.0))
        .boxed()
}

fn date() -> impl Strategy<Value = String> {
    (1970..2100u16, 1..13u8, 1..29u8).prop_map(|(year, month, day)| format!("{year}-{month:02}-{day:02}"))
}

pub(super) fn integer(schema: &Value) -> BoxedStrategy<Value> {
    let (least, most) = match schema["format"].as_str() {
        Some("int8") => (i64::from(i8::MIN), i64::from(i8::MAX)),
        Some("int16") => (i64::from(i16::MIN), i64::from(i16::MAX)),
        Some("int32") => (i64::from(i32::MIN), i64::from(i32::MAX)),
        Some("uint8") => (0, i64::from(u8::MAX)),
        Some("uint16") => (0, i64::from(u16::MAX)),
        Some("uint32") => (0, i64::from(u32::MAX)),
        Some("uint64") => (0, i64::MAX),
        _ => (i64::MIN, i64::MAX),
    };
    let bound = |key: &str| schema[key].as_i64();
    let above = bound("exclusiveMinimum").map(|bound| bound + 1);
    let below = bound("exclusiveMaximum").map(|bound| bound - 1);
    let least = bound("minimum").into_iter().chain(above).max().unwrap_or(least);
    let most = bound("maximum").into_iter().chain(below).min().unwrap_or(most);
    let step = bound("multipleOf").unwrap_or(1);
    prop_oneof![6 => least..=most, 1 => Just(least), 1 => Just(most)]
        .prop_map(move |n| n / step * step)
        .prop_filter("within bounds", move |n| (least..=most).contains(n))
        .prop_map(Value::from)
        .boxed()
}
