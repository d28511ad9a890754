//! Violations of values, with limits of their number and cost.

use serde_json::json;

use super::*;
use crate::schema_rules::{Bounds, Size, TextRule};

static NODE: Rule = Rule::Object(
    &[
        Member(
            "name",
            Presence::Required,
            Rule::Text(TextRule {
                max: Some(3),
                pattern: Some("^[a-z]+$"),
                ..TextRule::ANY
            }),
        ),
        Member(
            "size",
            Presence::OrNull,
            Rule::Integer(Bounds {
                min: Some(1),
                max: Some(9),
                ..Bounds::ANY
            }),
        ),
        Member(
            "nodes",
            Presence::Optional,
            Rule::List(
                &Rule::See(&NODE),
                Size {
                    max: Some(2),
                    ..Size::ANY
                },
            ),
        ),
        Member("either", Presence::OrNull, Rule::See(&EITHER)),
    ],
    Others::Refused,
    Size::ANY,
);

static EITHER: Rule = Rule::OneOf(&[
    Rule::Text(TextRule {
        max: Some(2),
        ..TextRule::ANY
    }),
    Rule::Object(
        &[Member("left", Presence::Required, Rule::See(&EITHER))],
        Others::Allowed,
        Size::ANY,
    ),
    Rule::Object(
        &[
            Member("left", Presence::Required, Rule::See(&EITHER)),
            Member("right", Presence::Required, Rule::See(&EITHER)),
        ],
        Others::Allowed,
        Size::ANY,
    ),
]);

fn found(value: &Value, rule: &Rule) -> Vec<(String, &'static str)> {
    let all = violations(value, rule).into_iter();
    all.map(|violated| (violated.pointer, violated.code)).collect()
}

#[test]
fn all_violations_are_noted_at_once() {
    let value = json!({ "size": 10, "a/b": 1, "nodes": [{ "name": "A" }, { "name": "abcd", "size": "1" }, 7] });
    let expected = [
        ("/name", "missing"),
        ("/size", "out_of_range"),
        ("/nodes", "too_many"),
        ("/nodes/0/name", "malformed"),
        ("/nodes/1/name", "too_long"),
        ("/nodes/1/size", "malformed"),
        ("/nodes/2", "malformed"),
        ("/a~1b", "unknown_member"),
    ];
    assert_eq!(
        found(&value, &NODE),
        expected.map(|(pointer, code)| (pointer.to_owned(), code))
    );
    assert_eq!(found(&json!({ "name": "ab", "size": null }), &NODE), []);
}

#[test]
fn violations_do_not_repeat_the_value() {
    let value = json!({ "name": "Secret-7", "size": 4711, "nodes": "Secret-7", "either": "Secret-7" });
    for violated in violations(&value, &NODE) {
        assert!(
            !violated.message.contains("Secret-7") && !violated.message.contains("4711"),
            "{violated:?}"
        );
    }
}

#[test]
fn a_value_of_no_choice_is_measured_by_the_first_of_its_kind() {
    assert_eq!(found(&json!("ab"), &EITHER), []);
    assert_eq!(found(&json!("abc"), &EITHER), [(String::new(), "too_long")]);
    assert_eq!(found(&json!(true), &EITHER), [(String::new(), "malformed")]);
    let right = json!({ "left": "a", "right": { "left": "a" } });
    assert_eq!(found(&right, &EITHER), []);
}

#[test]
fn a_value_of_several_choices_is_refused_where_it_must_be_of_one() {
    static ONE: Rule = Rule::ExactlyOne(&[
        Rule::Number(Bounds {
            min: Some(5.0),
            ..Bounds::ANY
        }),
        Rule::Integer(Bounds {
            max: Some(9),
            ..Bounds::ANY
        }),
    ]);
    for (value, code) in [
        (json!(4), None),
        (json!(10), None),
        (json!(7.5), None),
        (json!(7), Some("ambiguous")),
        (json!(4.5), Some("out_of_range")),
        (json!("7"), Some("malformed")),
    ] {
        let found = found(&value, &ONE);
        assert_eq!(found.first().map(|(_, code)| *code), code, "{value}");
    }
}

/// Takes two to the power of the depth without the cache of parts.
#[test]
fn unions_in_unions_are_checked_once() {
    let deep = (0..100).fold(json!("abc"), |value, _| json!({ "left": value }));
    let found = found(&deep, &EITHER);
    assert_eq!(found, [("/left".repeat(100), "too_long")]);
}

#[test]
fn a_long_list_of_wrong_items_has_a_short_list_of_violations() {
    let list = Value::from(vec![json!(0); 10_000]);
    static ITEMS: Rule = Rule::List(
        &Rule::Boolean,
        Size {
            unique: true,
            ..Size::ANY
        },
    );
    assert_eq!(violations(&list, &ITEMS).len(), MAX_VIOLATIONS);
}
