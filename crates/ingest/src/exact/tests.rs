//! Tests that values are kept and compared as they were written.

use serde_json::Value;

use super::{DEEPEST, ExactError, ExactObject, ExactValue};

fn canonical(json: &str) -> String {
    let mut text = String::new();
    ExactValue::read(json).expect("JSON").push_canonical(&mut text);
    text
}

#[test]
fn values_are_written_as_they_were_read() {
    for json in [
        r#"{"z":18446744073709551617,"a":[1e-400,1.10,-0,0.0,1E5,123456789012345678901234567890.5],"é":"\n\"😀"}"#,
        r#"[null,true,false,{},[],""]"#,
    ] {
        let value: ExactValue = serde_json::from_str(json).expect("JSON");
        assert_eq!(serde_json::to_string(&value).expect("JSON"), json);
        assert_eq!(format!("{value:?}"), "ExactValue");
    }
    let object: ExactObject = serde_json::from_str(r#"{"a":1,"b":2,"\u0061":3,"c":4,"b":5}"#).expect("JSON");
    assert_eq!(serde_json::to_string(&object).expect("JSON"), r#"{"a":3,"b":5,"c":4}"#);
    // The value of serde_json, if that is exact.
    let plain = serde_json::to_value(&object).expect("JSON");
    assert_eq!(plain, serde_json::json!({"a": 3, "b": 5, "c": 4}));
}

#[test]
fn what_no_reader_takes_is_refused() {
    let deep = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
    assert!(ExactValue::read(&deep(DEEPEST)).is_ok());
    assert_eq!(ExactValue::read(&deep(DEEPEST + 1)), Err(ExactError::Deep));
    assert_eq!(ExactValue::read(&deep(1_000_000)), Err(ExactError::Deep));
    assert_eq!(ExactValue::read(r#"{"a":[1e400]}"#), Err(ExactError::Range));
    assert!(serde_json::from_str::<ExactObject>("[1]").is_err());
    assert!(serde_json::from_str::<ExactObject>(r#"{"a":01}"#).is_err());
}

/// Stores of older versions contain hashes of such texts.
#[test]
fn plain_values_have_the_text_that_they_always_had() {
    for json in [
        r#"{"b":[1,2.5,-3,1e3,1.0,0.1,1e-7,"x\u00e9\n"],"a":{"d":null,"c":true},"":18446744073709551615}"#,
        r#"[1.10,-0.0,-0,100000000000000000000,5e-324,1.7976931348623157e308,123456.789]"#,
    ] {
        let mut plain: Value = serde_json::from_str(json).expect("JSON");
        plain.sort_all_objects();
        assert_eq!(canonical(json), plain.to_string());
    }
}

#[test]
fn other_numbers_have_other_texts() {
    let same = [["1.10", "1.1"], ["1e2", "100.0"], ["1e-400", "10e-401"]];
    for [one, other] in same {
        assert_eq!(canonical(one), canonical(other));
    }
    let numbers = [
        "18446744073709551617",
        "18446744073709551618",
        "18446744073709551700",
        "1e-400",
        "1e-401",
        "0",
        "0.1",
        "0.1000000000000000055511151231257827",
        "-18446744073709551617",
    ];
    let texts: std::collections::BTreeSet<_> = numbers.map(canonical).into_iter().collect();
    assert_eq!(texts.len(), numbers.len());
}

proptest::proptest! {
    #[test]
    fn a_number_that_is_canonical_already_is_what_serde_makes_of_it(
        number in "-?(0|[1-9][0-9]{0,16})(\\.[0-9]{1,16})?([eE]-?[0-9]{1,2})?",
    ) {
        let plain: Value = serde_json::from_str(&number).expect("JSON");
        let text = super::number::canonical(&number);
        if let std::borrow::Cow::Borrowed(text) = text {
            proptest::prop_assert_eq!(text, plain.to_string());
        }
    }

    #[test]
    fn a_text_is_written_as_serde_does(text in "\\PC{0,8}|[\\x00-\\x7f\u{2028}]{0,8}") {
        let mut canonical = String::new();
        ExactValue::String(text.clone()).push_canonical(&mut canonical);
        proptest::prop_assert_eq!(canonical, Value::from(text).to_string());
    }
}
