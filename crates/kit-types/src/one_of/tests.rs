//! Distinction of the types of a union, and round trips.

use serde_json::json;

#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct Circle {
    kind: String,
    radius: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    inner: Option<Box<Figure>>,
}

#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct Square {
    kind: String,
    side: i64,
}

union! {
    pub enum Figure { By = "kind", Circle(Circle) = ["circle", "ring"], Square(Square) = ["square"] }
}

union! {
    pub enum Loose {
        Text(String) = Text,
        Whole(i64) = Integer,
        Real(f64) = Number,
        List(Vec<i64>) = List(&Integer),
        Circle(Circle) = Members(&[("kind", true, Text), ("radius", true, Integer), ("inner", false, Object)]),
        Square(Square) = Members(&[("kind", true, Only(&["square"])), ("side", true, Integer)]),
    }
}

#[test]
fn each_value_is_written_as_it_came() {
    let values = [
        json!({ "kind": "ring", "radius": 1, "inner": { "kind": "square", "side": 2 } }),
        json!({ "kind": "square", "side": 2 }),
        json!({ "kind": "star", "points": [1, null] }),
        json!({ "kind": "circle", "radius": "wide" }),
        json!("text"),
        json!(1),
        json!(1.5),
        json!([1, 2]),
        json!([1, "2"]),
        json!(null),
        json!({}),
    ];
    for value in values {
        let figure: Figure = serde_json::from_value(value.clone()).expect("any value is read");
        assert_eq!(serde_json::to_value(&figure).ok().as_ref(), Some(&value));
        let loose: Loose = serde_json::from_value(value.clone()).expect("any value is read");
        assert_eq!(serde_json::to_value(&loose).ok().as_ref(), Some(&value));
    }
}

#[test]
fn variants_are_told_apart() {
    let read = |value| serde_json::from_value::<Figure>(value).expect("a figure");
    assert!(matches!(
        read(json!({ "kind": "ring", "radius": 1 })),
        Figure::Circle(_)
    ));
    assert!(matches!(
        read(json!({ "kind": "square", "side": 1 })),
        Figure::Square(_)
    ));
    assert!(matches!(read(json!({ "kind": "star" })), Figure::Other(_)));
    let read = |value| serde_json::from_value::<Loose>(value).expect("a value");
    assert!(matches!(read(json!("a")), Loose::Text(_)));
    assert!(matches!(read(json!(1)), Loose::Whole(1)));
    assert!(matches!(read(json!(1.5)), Loose::Real(_)));
    assert!(matches!(read(json!({ "kind": "square", "side": 1 })), Loose::Square(_)));
    // A member that a newer service added does not make it unknown.
    assert!(matches!(
        read(json!({ "kind": "square", "side": 1, "new": 2 })),
        Loose::Square(_)
    ));
    assert!(matches!(read(json!({ "kind": "round", "side": 1 })), Loose::Other(_)));
}

#[test]
fn unknown_values_do_not_show() {
    let figure: Figure = serde_json::from_value(json!({ "kind": "x", "secret": "s3cret" })).expect("a figure");
    assert_eq!(format!("{figure:?}"), "Other(UnknownValue(..))");
}
